// Recognizes columns about opt-outs and consent by the meaning of their titles: exports use many
// names, and a missed column would activate people who opted out.
import type { ColumnTarget } from '../shared.ts';

/** What a title means for consent; `maybe`: only the owner of the file knows. */
export interface OptOutSense {
  meaning: 'left' | 'agreed' | 'maybe';
  channel: 'email' | 'sms' | 'all';
  /** Whether the title refers to a date. */
  isDate: boolean;
  /**
   * Whether 'no' is an opt-out. In a column 'Accepts marketing', for example, it is not, because
   * the row may describe a buyer who never subscribed.
   */
  noMeansLeft: boolean;
}

/** Matches stems of words in folded titles. Stems in Latin script have no accents. */
const stems = (text: string) => new RegExp(text.trim().split(/\s+/).join('|'), 'u');

/** Opt-outs in the six languages, and in other languages of lists. */
const optOutStems = stems(`
  unsub(?!mit|st) optout optedout optingout dontemail donot(?:e?mail|contact|send|sms|text|call|disturb|market|allow)
  neveremail nevercontact dontcontact dontsend emaildisabled disabledemail emailsdisabled maildisabled disableemail
  noemail nomarketing nonewsletter nosms suppress blacklist blocklist emailblocked smsblocked
  ^blocked$ ^isblocked excludedfrom marketingsuspended ^dnd$ ^dnc$ ^dne$ ^deactivated stopmail stopemail
  revokedconsent consentrevoked withdrew consentwithdrawn withdrawnconsent
  avmeld meldtav utmeldt ^reservert$ reservertmot reservasjonmot ikkesend ikkekontakt skalikkeha onskerikke
  avregistre avprenumere avanmal avsagd avslutadprenum kontaktaej kontaktainte skickaej skickainte sparrad nixad
  afmeldt framelding frameldt frabed
  atsisak nesiusti nebesiusti nekontaktuo neprenumeruo isregistruot nenorigauti
  atrakst atteic atteik atteiksan nesutit nekontaktet nevelas
  لغواشتراک لغوعضویت ^لغو$ انصراف عدمارسال ارسالنشود ایمیلنفرست مسدود
  abgemeldet abmeld abbestell ausgetragen austragungsdatum widerruf widerspr werbesperr versandsperr mailsperr newslettersperr
  ^gesperrt keinewerbung keinee?mail keinnewsletter nichtkontakt nichtanschreib nichtversenden sperrliste deaktiviert
  desinscri desabonn desabo nepascontact nepasenvo nepasemail opposition listenoire stoppub
  ^baja$ debaja bajade bajanews bajaboletin desuscri dessuscri nocontactar noenviar cancelosuscrip cancelacionsuscrip
  listanegra
  disiscri noncontattare noninviare cancellazioneiscr
  descadastr desinscr cancelouinscr naoenviar naocontat
  afgemeld uitgeschreven uitschrijf afmeld nietmailen nietcontact geenmail geenemail geennieuwsbrief
  wypisa rezygnac zrezygnow niewysyla niekontakt odsubskryb wyrejestr
  ^peruttu$ tilausperu uutiskirjeperu peruuttan eimarkkinointi markkinointikielto eisaalahettaa kieltanyt
  odhlas leiratk lemondott loobunud dezabon отпис отказ неотправл неписать відпис abonelikiptal aboneliktencik
  απεγγρ διαγραφη odjavl отпиша الغاءالاشتراك הוסר 配信停止 退订 退訂 수신거부
`);

const consentStems = stems(`
  subscribedto issubscribed ^subscribed ^emailsubscribed ^newslettersubscribed optin optedin acceptsmarketing
  acceptse?mail acceptsms acceptssms acceptsnewsletter marketingconsent emailconsent smsconsent consentto
  consenttomarketing marketingpermission emailpermission receivesemail receiveemail receivenewsletter wantsnewsletter
  marketingstatus emailmarketing smsmarketing subscriptionstatus newsletterstatus liststatus globalstatus
  samtykketil paameldt pameldtnyhetsbrev abonnererpa prenumererar samtycketill
  sutinkagauti prenumeruoja piekritsanemt ^angemeldet newsletterangemeldet einwilligung
  abonnealanewsletter inscritalanewsletter consentement suscrito consentimiento iscrittoallanewsletter consenso
  aangemeldvoor toestemming zgoda uutiskirjetilaaja markkinointilupa tilmeldtnyhedsbrev
`);

/** Titles that mean consent in some files, and a product or a paid plan in others. */
const maybe = stems(`
  ^newsletter$ ^newsletters$ ^nyhetsbrev$ ^nyhedsbrev$ ^naujienlaiskis$ ^naujienos$ ^jaunumi$ ^خبرنامه$ ^uutiskirje$
  ^nieuwsbrief$ ^boletin$ ^consent$ ^gdpr$ ^gdprconsent$ ^marketing$ ^permission$ ^samtykke$ ^samtycke$ ^sutikimas$
  ^piekrisana$ ^رضایت$ marketingcontact mailinglist emailallowed allowemail canemail cancontact ^contactable mailable
  emailable ^emailactive ^emailenabled ^active$ ^aktiv$ ^inactive$ ^removed$ ^cancelled$ ^canceled$ ^bounced$
`);

/** Titles of data that every subscriber has, or of counters. */
const NOTHING =
  /(?:link|url|uri|token|hash|key|page|code|html|count|rate|percent|number|total|campaignid|campaigntitle)$|^lastemail/;

const OTHER_CHANNELS = /fax|postal|directmail|letterpost|^donotmail$|donotallowmails?$|letters$/;
const SMS_TITLES = /sms|textmessage|texting|whatsapp|nottext|notcall|phonecall|^dnc$|^dnd$|پیامک/;
const ANY_CHANNEL =
  /notcontact|dontcontact|nevercontact|notdisturb|nevelas|ikkekontakt|kontaktaej|kontaktainte|nekontakt|nichtkontakt|nepascontact|nocontactar|noncontattare|naocontat|nietcontact|niekontakt/;
const DATES =
  /(?:date|time|timestamp|dato|datums?|data|edat|edon|dat|since|zeitpunkt)$|^(?:date|datum|data|dato|fecha)|تاریخ/;

/** Returns the meaning of a folded title for consent, if any. */
export function parseOptOutSense(titleKey: string): OptOutSense | undefined {
  if (titleKey === '' || NOTHING.test(titleKey) || OTHER_CHANNELS.test(titleKey)) return undefined;
  const meaning = optOutStems.test(titleKey)
    ? 'left'
    : consentStems.test(titleKey)
      ? 'agreed'
      : maybe.test(titleKey)
        ? 'maybe'
        : undefined;
  if (meaning === undefined) return undefined;
  const channel = ANY_CHANNEL.test(titleKey) ? 'all' : SMS_TITLES.test(titleKey) ? 'sms' : 'email';
  return {
    meaning,
    channel,
    isDate: DATES.test(titleKey),
    noMeansLeft: /subscribedto/.test(titleKey),
  };
}

/**
 * Returns the target proposed for a title with this meaning, depending on the values below it
 * (dates or words).
 */
export function proposeTarget(
  { meaning, channel, isDate }: OptOutSense,
  content: { hasDates: boolean; hasWords: boolean },
): ColumnTarget | undefined {
  if (meaning === 'left') {
    if (channel === 'all') return 'all_suppressed';
    if (channel === 'sms') return 'sms_suppressed';
    return isDate || content.hasDates ? 'unsubscribed_at' : 'email_suppressed';
  }
  if (meaning === 'maybe' || channel === 'all') return undefined;
  if (content.hasDates || isDate) return channel === 'email' ? 'consent_at' : undefined;
  if (!content.hasWords) return undefined;
  return channel === 'sms' ? 'sms_status' : 'email_status';
}
