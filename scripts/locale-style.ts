// Checks the style of each language: quotation marks, spaces, letters, sentence case, and one term
// per concept, for concepts that once had several. The reference is docs/glossaries/.
import type { TextLanguage } from '#platform/languages.ts';
import { type TextCatalog, flattenCatalog, listLanguages } from './locale-catalogs.ts';

/** A forbidden pattern, and what to use instead. */
type StyleRule = [RegExp, string];

/** Rules of every language: no typewriter quotes and no stray spaces. */
const EVERYWHERE: StyleRule[] = [
  [/"/, 'quotation marks of the language'],
  [/ {2}|^ | $/, 'one space, and none around'],
  [/\u00A0 | \u00A0/, 'one space'],
];

const QUOTES: Record<TextLanguage, StyleRule> = {
  eng: [/[«»„]/, '“so”'],
  nor: [/[“”„]/, '«so»'],
  swe: [/[“„«»]/, '”so”'],
  lit: [/[”«»]/, '„so“'],
  fas: [/[“”„]/, '«so»'],
  lav: [/[«»„]/, '“so”'],
  pol: [/[“«»]/, '„so”'],
  spa: [/[“”„]/, '«so»'],
};

const TEXT_RULES: Record<TextLanguage, StyleRule[]> = {
  eng: [
    [/Settings, Domains/, 'Sending domains, as the entry is called'],
    [/(?<!Name of )the product\b/i, 'Sendloom'],
    [/(?<![\w-])mails?\b(?! servers?\b| domain\b)/i, 'email (mail server is a term of its own)'],
    [/\b(a|the|this|new|newer|second) letter\b(?! from)/i, 'email'],
    [/\bpictures?\b/i, 'image'],
    [/spam reports?|reported spam/i, 'spam complaints, complained'],
    [/non-subscribed/i, 'not subscribed'],
    [/\bwhoever\b/i, 'people who, anyone who'],
    [/the law wants/i, 'required by law'],
    [
      /\b(colour|behaviour|favour|neighbour|honour|harbour|flavour|labour|centre|theatre|grey\b|programmes?\b|catalogue|dialogue|licence|analyse|analysing|organis|recognis|personalis|summaris|optimis|customis|synchronis|authoris|cancelle|cancelli|labelle|labelli|travelle)/i,
      'American spelling, as color',
    ],
    [/\be-mails?\b/i, 'email'],
    [/\b(black|block|white)lists?\b/i, 'suppression list'],
    [/\blog(ged)? (in|out)\b(?! or contact| again)/i, 'sign in, sign out'],
    [/\bcards? 0|\badd card\b/i, 'condition group'],
    [/\bsomebody\b(?! else)/i, 'someone'],
    [/\bgo(es)? on\b(?! the)/i, 'continue, resume'],
    [/\banew\b|\ball the same\b|\bany more\b/i, 'again, anyway, no longer'],
    [/\b(is|are|was|were) (told|asked for)\b/i, 'what happens: is sent, was requested'],
    [/\bput(s|ting)? right\b/i, 'correct'],
    [/\btells? of\b|\bnothing was told\b/i, 'report'],
    [/\bstands? (here|there|below|in|at|within)\b/i, 'appears, is'],
    [/\bleaves? (at once|by|through|here|later)\b/i, 'is sent'],
    [/please.*please(?! contact support)/i, 'please once at most'],
    [/(?<!Checking)\.\.\./, '…'],
  ],
  nor: [
    [/tjener(en|ne)?\b/i, 'server'],
    [/\bspam\b/i, 'søppelpost'],
    [/\bmailer?\b/i, 'e-post'],
    [/e-postleverandør/i, 'e-posttjeneste'],
    [/\bproduktet\b/i, 'Sendloom'],
    [/Innstillinger, Domener/, 'Avsenderdomener, as the entry is called'],
  ],
  swe: [
    [/\bspam\b/i, 'skräppost'],
    [/mejltjänst|e-postleverantör/i, 'e-posttjänst'],
    [/\bprodukten\b/i, 'Sendloom'],
    [/Inställningar, Domäner/, 'Avsändardomäner, as the entry is called'],
    [/avregistrer/i, 'avprenumerera'],
    [/\bmail(et|en)?\b(?! settings)/i, 'mejl'],
  ],
  lit: [
    [/brukal/i, 'šlamštas'],
    [/vartotoj/i, 'naudotojas'],
    [/simb/i, 'ženklas'],
    [/pašto teikėj/i, 'pašto paslaugų teikėjas'],
    [/produkt/i, '„Sendloom“, or prekė'],
    [/Nustatymai, Domenai/, 'Siuntimo domenai, as the entry is called'],
    [/\(-[ųaio]+\)/, 'one form of the word, or plural forms'],
  ],
  lav: [
    [/atrakst[īij]/i, 'atteikties'],
    [/surogātpast/i, 'mēstule'],
    [/ielūgum(?!s\b)/i, 'uzaicinājums'],
    [/piesak|pieteic(?!am)/i, 'pierakstīties'],
    [/atlēc|atlēk/i, 'noraidīts'],
    [/produkt/i, 'Sendloom, or prece'],
    [/(?<!DNS )sistēm/i, 'instalācija'],
    [/Iestatījumi, Domēni/, 'Sūtīšanas domēni, as the entry is called'],
  ],
  fas: [
    [/[يك]/, 'ی and ک'],
    [/زبانی که برنامه|آنچه برنامه|تازه‌تری از برنامه/, 'Sendloom'],
    [/تنظیمات، دامنه‌ها(?!ی)/, 'دامنه‌های ارسال, as the entry is called'],
    [/[٠-٩]/, 'Persian digits ۰–۹'],
    [/[\u0600-\u06FF] ?[,;?]/, '، ؛ ؟'],
    [/(^|[\s«])ن?می [\u0600-\u06FF]/, 'می with a joiner after it'],
    [/[\u0600-\u06FF] ها(ی|یی)?(?=[\s.،]|$)/, 'ها with a joiner before it'],
    [/سندلوم|جی‌میل|آدرس|اسپم|لینک/, 'Sendloom, Gmail, نشانی, هرزنامه, پیوند'],
  ],
  pol: [],
  spa: [],
};

/**
 * Rules of English screens and system emails. A customer's content may contain exclamation marks
 * and 10% without a space, as shops write it.
 */
const SCREEN_ONLY: StyleRule[] = [
  [/(?<!verified)!/, 'no exclamation mark'],
  [/\d%/, 'a space before %'],
];

/**
 * Names that are capitalized within a title, a button or a column: proper names, a key, and two
 * steps of onboarding.
 */
const NAMES =
  /Sendloom|Dev Dashboard|Mac Roman|Arabic and Persian|United States|(?:Simplified|Traditional) Chinese|Google(?: Analytics| Postmaster Tools)?|Gmail|Postfix|SendGrid|Mailchimp|GetResponse|MailerLite|Brevo|Klaviyo|Node|PostgreSQL|Enter\b|(European|Europos|Eiropas) (Union|S\p{L}+)|(Western|Central|Vakarų|Vidurio) Europ\p{L}+|Postal\/ZIP|^Sign Up$|^Complete Your Profile$/gu;

/**
 * Returns whether a phrase that is not a sentence has a capitalized word after the first; never in
 * Persian.
 */
function isTitleCase(language: TextLanguage, text: string): boolean {
  if (language === 'fas') return false;
  const label = stripPlaceholders(text)
    .replaceAll(/[“„«”][^”“»]*[”“»]/g, '0')
    .replaceAll(NAMES, '0')
    .replace(/…$/, '');
  return !/[.?!:;…·→]/.test(label) && /\S[ (/-]\p{Lu}\p{Ll}/u.test(label);
}

/** Returns violations of wording in all languages of a catalog file. */
export function findStyleViolations(
  file: string,
  readCatalog: (language: TextLanguage) => TextCatalog | undefined,
): string[] {
  // Customers choose the case of titles and names in content.
  const isContent = file.endsWith('.content.json');
  return listLanguages(file).flatMap((language) => {
    const rules = [
      ...EVERYWHERE,
      QUOTES[language],
      ...TEXT_RULES[language],
      ...(language === 'eng' && !isContent ? SCREEN_ONLY : []),
    ];
    return [...flattenCatalog(readCatalog(language) ?? {})].flatMap(([key, text]) =>
      [
        ...rules.flatMap(([wrong, right]) => {
          const found = wrong.exec(stripPlaceholders(text))?.[0];
          return found === undefined ? [] : [`contains “${found}”; use: ${right}`];
        }),
        ...(!isContent && isTitleCase(language, text)
          ? ['must be in sentence case, or its name in NAMES']
          : []),
      ].map((finding) => `locales/${language}/${file}: ${key} ${finding}.`),
    );
  });
}

/** Returns the text without placeholders, tags and addresses. */
const stripPlaceholders = (text: string) => text.replaceAll(/\{\{.*?\}\}|<[^>]*>|https?:\S+/g, '0');
