// Checks technical English in `npm run check`. API summaries and descriptions must follow one form.
// Words with a better term in the field are not allowed there, nor in log messages, errors, CLI
// output, metrics, docs and names in the code. The name in each `@param` tag must occur in the code
// of the file.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allRoutes } from '#main/wiring.ts';
import { loadConfig } from '#platform/server/config.ts';

const ROOT = join(import.meta.dirname, '..');
const MAX_SUMMARY_WORDS = 8;
const CODE = 'areas,platform,providers,main,embed,testing,bench,faults,scripts,e2e';

/** The verbs that begin a summary, so that summaries of identical operations begin the same way. */
const VERBS = new Set(
  (
    'Activate Add Approve Attach Cancel Check Confirm Count Create Deactivate Decline Delete Detach Disconnect ' +
    'Download Duplicate Export Get Import List Move Pause Preview Refund Remove Rename Render Resend Restore Resume ' +
    'Retry Rotate Schedule Send Set Start Stop Test Undo Unschedule Update Upload Validate Verify Withdraw'
  ).split(' '),
);

/** Words with a better term in the field. */
const BANNED =
  /\b(nobody|somebody|anybody|everybody|whoever|anew|told|tells?|brought|brings?|begun|stands?|stood|wished|mails?|hand-overs?)\b/i;

/** Words that have a better term in messages of errors and descriptions of metrics. */
const MESSAGE_WORDS =
  /\b(nobody|somebody|anybody|everybody|whoever|anew|told|tells?|brought|brings?|begun|stands?|stood|wished|mails?|hand-overs?|handed over|taken in|taken up|taken back|come again|came (?:in|back|and went)|went on|is gone|are gone|just now|from now on|by the side|of nobody|is kept|are kept|kept for)\b/i;

/**
 * The words of BANNED, for prose in the docs. `mail` is missing because DOC_TERMS has rules for it.
 */
const DOC_WORDS =
  /\b(nobody|somebody|anybody|everybody|whoever|anew|told|tells?|brought|brings?|begun|stands?|stood|wished|hand-overs?)\b/i;

/** British spellings: English text and code use American spelling. */
const SPELLING =
  /\b(colour|behaviour|favourite|centre[sd]?\b|organis|recognis|initialis|cancell(?!ation))/i;

/**
 * Words with another term in the docs. Text within code quotes is ignored because it may be another
 * system's term.
 */
const DOC_TERMS: [RegExp, string][] = [
  [/(?<![\w-])e-mails?\b/i, 'email'],
  [/(?<![\w-])mails?\b(?! servers?\b| domain\b)/, 'email (mail server is a term of its own)'],
  [/\b(black|white)lists?\b/i, 'suppression list'],
  [/spam reports?|reported spam/i, 'complaint'],
];

/** Returns violations in a call's summary and description. */
export function findSummaryViolations(summary: string, description = ''): string[] {
  const summaryWords = summary.split(/\s+/);
  return [
    ...(VERBS.has(summaryWords[0] ?? '')
      ? []
      : [`"${summaryWords[0]}" is not one of the verbs that begin a summary`]),
    ...(summaryWords.length > MAX_SUMMARY_WORDS
      ? [`${summaryWords.length} words, at most ${MAX_SUMMARY_WORDS}`]
      : []),
    ...(/[.;:]/.test(summary)
      ? ['a summary is one phrase without a period, semicolon or colon']
      : []),
    ...(description && !/\.$/.test(description)
      ? ['a description consists of full sentences']
      : []),
    ...bannedWords(`${summary} ${description}`),
  ];
}

/** Returns violations in the log messages of a source file, by line. */
export function findLogViolations(file: string, source: string): string[] {
  const calls = source.matchAll(
    /\blog\.(?:debug|info|warn|error)\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gs,
  );
  return [...calls].flatMap(({ index, 2: message = '' }) => {
    const line = source.slice(0, index).split('\n').length;
    return bannedWords(message).map((violation) => `${file}:${line} ${violation}`);
  });
}

/**
 * Calls with a message to a person as the first string: errors, CLI output, and help texts of
 * metrics.
 */
const MESSAGES = [
  /\bnew (?:[A-Z]\w*)?(?:Error|CannotStart|Refusal)\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gs,
  /\bconsole\.(?:log|info|warn|error)\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gs,
  /\bhelp:\s*(['"`])((?:\\.|(?!\1).)*)\1/gs,
  /\b(?:counter|gauge|histogram)\(\s*'\w+',\s*(['"`])((?:\\.|(?!\1).)*)\1/gs,
];

/** Returns violations in the errors, CLI output and metrics of a source file, by line. */
export function findMessageViolations(file: string, source: string): string[] {
  return MESSAGES.flatMap((pattern) =>
    [...source.matchAll(pattern)].flatMap(({ index, 2: message = '' }) => {
      const line = source.slice(0, index).split('\n').length;
      const prose = message.replaceAll(/\$\{[^}]*\}/g, ' ');
      return bannedWords(prose, MESSAGE_WORDS).map((violation) => `${file}:${line} ${violation}`);
    }),
  );
}

/** Returns violations in the prose of a Markdown page, by line; code and addresses are ignored. */
export function findDocViolations(file: string, source: string): string[] {
  let isCode = false;
  return source.split('\n').flatMap((line, i) => {
    if (/^\s*```/.test(line)) isCode = !isCode;
    // The table of examples in CONTRIBUTING.md quotes the words to avoid.
    if (isCode || (file === 'CONTRIBUTING.md' && line.startsWith('|'))) return [];
    const prose = line.replaceAll(/`[^`]*`|\]\([^)]*\)|https?:\S+/g, ' ');
    const terms = DOC_TERMS.filter(([wrong]) => wrong.test(prose)).map(([, right]) => right);
    return [...bannedWords(prose, DOC_WORDS), ...terms].map(
      (violation) => `${file}:${i + 1} ${violation}`,
    );
  });
}

/** Parts of names that have a better term, for example notify for tell and request for ask. */
const BANNED_IN_NAMES = new Set(
  (
    'told tell tells teller said say says ask asks asked asking bring brings brought bringing begun anew nobody ' +
    'somebody everybody anybody whoever wish wishes wished heir sighting sightings postcard postcards colour colours ' +
    'behaviour catalogue catalogues sanitise sanitised whereabouts untold judge judges judged tongue tongues ' +
    'ears reckon'
  ).split(' '),
);

/** Further parts that have a better term in file names. */
const BANNED_IN_FILES = new Set(
  'letters mail mails word words look looks way ways room rooms stage gone forget take'.split(' '),
);

/** Keys of stored documents and of the API, which keep the stored spelling. */
const STORED_KEYS = new Set(
  'colour borderColour buttonColour buttonBorderColour fieldColour asked said LETTERS_FROM'.split(
    ' ',
  ),
);

const wordsOf = (name: string) =>
  name.split(/(?<=[a-z0-9])(?=[A-Z])|[_.-]|(?<=[A-Z])(?=[A-Z][a-z])/);

/** Files of workflow recipes, where email names are keys of their copy. */
const RECIPE_FILE = /\/recipe/;

/** Returns `@param` tags with a name that does not occur in the code of the file, by line. */
export function findParamViolations(file: string, source: string): string[] {
  const code = source.replaceAll(/^\s*(?:\/\/|\/\*|\*).*$/gm, '');
  const names = new Set(code.match(/[A-Za-z_$][\w$]*/g));
  return [...source.matchAll(/@param (\w+)/g)].flatMap(({ index, 1: name = '' }) => {
    const line = source.slice(0, index).split('\n').length;
    return names.has(name) ? [] : [`${file}:${line} @param ${name}: no parameter has this name`];
  });
}

/** Returns violations in the name of a file. */
export function findFileNameViolations(file: string): string[] {
  const name = file.slice(file.lastIndexOf('/') + 1);
  const bannedWord = wordsOf(name).find(
    (namePart) => BANNED_IN_NAMES.has(namePart) || BANNED_IN_FILES.has(namePart),
  );
  return bannedWord ? [`${file}: "${bannedWord}" has a better term`] : [];
}

/** Returns violations in the properties and methods that a source file declares, by line. */
export function findMemberViolations(file: string, source: string): string[] {
  const members = source.matchAll(
    /^\s+(?:(?:readonly|private|protected|static|async) )*([A-Za-z_$][\w$]*)\??(?::\s|\()/gm,
  );
  return [...members].flatMap(({ index, 0: text, 1: name = '' }) => {
    const bannedWord = wordsOf(name).find((namePart) =>
      BANNED_IN_NAMES.has(namePart.toLowerCase()),
    );
    // Names with an underscore are columns, keys of the API and error codes.
    if (!bannedWord || STORED_KEYS.has(name) || name.includes('_') || RECIPE_FILE.test(file))
      return [];
    const line = source.slice(0, index + text.length).split('\n').length;
    return [`${file}:${line} ${name}: "${bannedWord}" has a better term`];
  });
}

const BOUND = /^(MOST|LEAST|LONGEST)(_|$)|_(MOST|LEAST|LONGEST)$/;

/**
 * Returns violations in the names that a source file declares, by line. Names within strings are
 * ignored.
 */
export function findNameViolations(file: string, source: string): string[] {
  const declarations = source.matchAll(
    /^(?:export |\s)*(?:async )?(?:function|type|interface|class|const|let|enum)\s+([A-Za-z_$][\w$]*)/gm,
  );
  return [...declarations].flatMap(({ index, 0: text, 1: name = '' }) => {
    const line = source.slice(0, index + text.length).split('\n').length;
    const bannedWord = wordsOf(name).find((namePart) =>
      BANNED_IN_NAMES.has(namePart.toLowerCase()),
    );
    return [
      ...(bannedWord ? [`${file}:${line} ${name}: "${bannedWord}" has a better term`] : []),
      ...(BOUND.test(name) && name !== 'AT_LEAST'
        ? [`${file}:${line} ${name}: a bound is MAX_… or MIN_…`]
        : []),
    ];
  });
}

function bannedWords(text: string, pattern = BANNED): string[] {
  const bannedWord = pattern.exec(text)?.[0];
  const spelling = SPELLING.exec(text)?.[0];
  return [
    ...(bannedWord ? [`"${bannedWord}" has a better term`] : []),
    ...(spelling ? [`"${spelling}" is not in American spelling`] : []),
  ];
}

export function checkStyle(): string[] {
  const calls = allRoutes(loadConfig({ NODE_ENV: 'test' })).flatMap(({ area, name, call }) =>
    findSummaryViolations(call.summary, call.description).map(
      (violation) => `${area}.${name} "${call.summary}": ${violation}`,
    ),
  );
  const sources = globSync('{areas,platform,providers,main}/**/*.ts', { cwd: ROOT }).filter(
    (file) => !file.endsWith('.test.ts'),
  );
  const logs = sources.flatMap((file) =>
    findLogViolations(file, readFileSync(join(ROOT, file), 'utf8')),
  );
  const pages = globSync(['*.md', 'docs/{operations,decisions}/*.md', 'docs/*.md'], { cwd: ROOT });
  const docs = pages.flatMap((file) =>
    findDocViolations(file, readFileSync(join(ROOT, file), 'utf8')),
  );
  const code = globSync(`{${CODE}}/**/*.{ts,tsx}`, { cwd: ROOT }).filter(
    (file) => !/node_modules|generated/.test(file),
  );
  const names = code.flatMap((file) => {
    const source = readFileSync(join(ROOT, file), 'utf8');
    const isTest = file.endsWith('.test.ts') || file.endsWith('.test.tsx');
    return [
      ...findFileNameViolations(file),
      ...findNameViolations(file, source),
      ...findMemberViolations(file, source),
      ...(isTest ? [] : findParamViolations(file, source)),
      ...(isTest ? [] : findMessageViolations(file, source)),
    ];
  });
  return [...calls, ...logs, ...docs, ...names];
}
