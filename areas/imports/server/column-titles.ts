// What the titles of columns say, in the six languages and a few more, and in exports of other systems.
import type { ColumnTarget } from '../limits.ts';

/** Titles by target, folded as `foldTitle` does: no case, no marks on letters, no signs, no spaces. */
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

/** Titles above a first name at some and above a whole name at others: the values tell. */
const eitherName = new Set(
  'name navn namn vardas vards نام اسم nombre imie'.split(' ').map(foldTitle),
);

export function mayBeFullName(title: string): boolean {
  return eitherName.has(foldTitle(title));
}

/**
 * The fixed target that a title names, if it names one. 'Subscribed' and 'Unsubscribed' are written above
 * dates as well as above yes and no.
 */
export function targetOfTitle(title: string, holdsDates = false): ColumnTarget | undefined {
  const folded = foldTitle(title);
  if (folded === 'unsubscribed') return holdsDates ? 'unsubscribed_at' : 'email_suppressed';
  if (folded === 'subscribed' && holdsDates) return 'consent_at';
  return targetByTitle.get(folded);
}

/** The title without case, marks on letters, spaces and signs: 'E-post adress' → 'epostadress'. */
export function foldTitle(title: string): string {
  return title
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .replace(/ø/g, 'o')
    .replace(/[^\p{L}\p{N}]+/gu, '');
}
