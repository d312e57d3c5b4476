// Maps column titles to targets: titles in the six languages and some others, and in exports of
// other systems.
import type { ColumnTarget } from '../shared.ts';
import { parseOptOutSense, proposeTarget } from './opt-out-titles.ts';

/** Titles by target, folded as by `foldTitle`: without case, accents, punctuation and spaces. */
const titles: Record<Exclude<ColumnTarget, 'skip'>, string> = {
  email: `
    email emails mail emailaddress mailaddress epost epostadresse epostadress mejl
    mejladress elpastas elpaštas elpastoadresas epasts epastaadrese ایمیل رایانامه
    پستالکترونیک subscriber correo courriel emailaddresse
  `,
  phone: `
    phone phonenumber telephone mobile mobilephone mobilenumber cell cellphone tel sms
    smsnumber telefon telefonnummer mobil mobilnummer mobiltelefon tlf telefonas
    telefononumeris mobilusis mobilustelefonas telefons talrunis talrunanumurs mobilais
    telefonanumurs تلفن شمارهتلفن موبایل همراه شمارهموبایل تلفنهمراه
  `,
  firstname: `
    firstname name first givenname forename fname fornavn navn fornamn namn vardas vards نام
    اسم نامکوچک prenom vorname nombre imie
  `,
  lastname: `
    lastname surname last familyname lname etternavn slektsnavn efternamn pavarde uzvards
    نامخانوادگی فامیلی nachname apellido nazwisko
  `,
  fullname: `
    fullname completename contactname yourname namesurname namefull firstandlastname
    firstnamelastname firstnameandlastname nameandsurname fulltnavn helenavnet navnogetternavn
    forogetternavn fornavnogetternavn fornavnetternavn fullstandigtnamn helanamnet forochefternamn
    fornamnochefternamn fornamnefternamn vardasirpavarde vardaspavarde pilnasvardas vardsunuzvards
    vardsuzvards pilnsvards نامکامل نامونامخانوادگی نامنامخانوادگی ناموفامیلی نامفامیلی
    nomcomplet prenomnom prenometnom vollername vorundnachname vornamenachname
    nombrecompleto nombreyapellidos imieinazwisko
  `,
  email_status: `
    status emailstatus subscriptionstatus subscribed optin emailmarketing epoststatus
    statusas busena statuss وضعیت وضعیتایمیل acceptsmarketing acceptsemailmarketing
  `,
  sms_status: `
    smsstatus smsoptin acceptssmsmarketing smsbusena smsstatuss وضعیتپیامک
  `,
  consent_at: `
    optintime optindate consentdate consentat confirmtime subscribedat subscribedate
    dateofconsent signupdate subscriptiondate samtykkedato samtyckesdatum sutikimodata
    piekrisanasdatums تاریخرضایت تاریخعضویت dateadded
  `,
  unsubscribed_at: `
    unsubscribedat unsubscribedate unsubscribetime optouttime optoutdate unsubtime
    avmeldtdato avregistreringsdatum atsisakymodata atrakstisanasdatums تاریخلغو
  `,
  email_suppressed: `
    emailsuppressions emailsuppression suppressed blacklisted blocklisted emailblacklisted
    emailblocklisted optedout optout donotemail
  `,
  sms_suppressed: `
    smssuppressions smssuppression smsblacklisted smsblocklisted donotsms
  `,
  all_suppressed: 'donotcontact dontcontact donotdisturb',
  groups: `
    groups group tags tag lists list segments gruppe grupper gruppa etikett etiketter tagg taggar
    grupe grupes zymos zyme birkas grupa گروه گروهها برچسب برچسبها
  `,
};

const targetByTitle = new Map<string, ColumnTarget>(
  Object.entries(titles).flatMap(([target, each]) =>
    each
      .trim()
      .split(/\s+/)
      .map((title): [string, ColumnTarget] => [foldTitle(title), target as ColumnTarget]),
  ),
);

/** Titles that some files use for first names and others for full names: the values decide. */
const EITHER_NAME = new Set(
  'name navn namn vardas vards نام اسم nombre imie'.split(' ').map(foldTitle),
);

export function mayBeFullName(title: string): boolean {
  return EITHER_NAME.has(foldTitle(title));
}

/** The kind of values below a title. */
export interface ValuesBelow {
  hasDates: boolean;
  /** Yes and no, or words for statuses. */
  hasWords: boolean;
}

const noValues: ValuesBelow = { hasDates: false, hasWords: false };
/**
 * Prefixes of titles in CRM exports, which name the object of the column: 'Person - Email',
 * 'Contact email'.
 */
const OWNERS = /^(?:person|contact|lead|customer|subscriber|kunde|kund|klient|client)(?=.)/;
const OF_PEOPLE: ReadonlySet<string> = new Set([
  'email',
  'phone',
  'firstname',
  'lastname',
  'fullname',
]);

/**
 * Returns the fixed target that a title names, if any. 'Subscribed' and 'Unsubscribed' occur above
 * dates as well as above yes and no.
 */
export function findTargetByTitle(title: string, below = noValues): ColumnTarget | undefined {
  const key = foldTitle(title);
  if (key === 'unsubscribed') return below.hasDates ? 'unsubscribed_at' : 'email_suppressed';
  if (key === 'subscribed' && below.hasDates) return 'consent_at';
  const target = targetByTitle.get(key);
  if (target === 'email_suppressed' && below.hasDates) return 'unsubscribed_at';
  if (target !== undefined) return target;
  const sense = parseOptOutSense(key);
  if (sense !== undefined) return proposeTarget(sense, below);
  const ofOwner = targetByTitle.get(key.replace(OWNERS, ''));
  return ofOwner !== undefined && OF_PEOPLE.has(ofOwner) ? ofOwner : undefined;
}

/**
 * Returns the title without case, accents, spaces and punctuation: 'E-post adress' → 'epostadress'.
 */
export function foldTitle(title: string): string {
  return title
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .replace(/ø/g, 'o')
    .replace(/ł/g, 'l')
    .replace(/ي/g, 'ی')
    .replace(/ك/g, 'ک')
    .replace(/[^\p{L}\p{N}]+/gu, '');
}
