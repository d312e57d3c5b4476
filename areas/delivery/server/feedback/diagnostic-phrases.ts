// Determines the cause of an undelivered copy from the diagnostic text, by phrases of large systems
// in many languages. They are ordered so that a problem with the sender never counts against the
// subscriber.
import type { BounceCause } from './classification.ts';

/** Letters that Unicode does not decompose into a letter and an accent. */
const WITHOUT_ACCENTS: Record<string, string> = { ł: 'l', Ł: 'l', ı: 'i', ø: 'o', Ø: 'o', ß: 'ss' };
const fold = (text: string) =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[łŁıøØß]/g, (character) => WITHOUT_ACCENTS[character] ?? character);
const anyOf = (...alternatives: string[]) => new RegExp(fold(alternatives.join('|')), 'iu');

/**
 * The sender exceeded a rate or a total. Such texts also mention quotas and recipients, so this
 * pattern is matched first.
 */
const RATE = anyOf(
  String.raw`\btoo (many|much) (recipients|rcpts|messages|e-?mails|mails?|connections|sessions|errors|(invalid|unknown|bad) (recipients|rcpts|users|addresses)|concurrent)\b`,
  String.raw`\brate.?limit|\bthrottl|\b(sending|send|message|mail|sender|hourly|daily|outgoing|outbound) (rate|limit|quota)\b|\btoo (fast|quickly|frequent)|\b(recipients|messages|mails) (per|this|in the last) (hour|day|minute)\b`,
  String.raw`превышен\p{L}* лимит|发送(频率|量)|頻度|zu viele (nachrichten|mails|empfanger|verbindungen)|trop de (messages|destinataires|connexions)|demasiad[oa]s (mensajes|destinatarios|conexiones)`,
);

/** The mailbox is full. */
const MAILBOX_FULL = anyOf(
  String.raw`\bover ?-?quota\b|\bquota\b[^.]{0,30}\b(exceeded|full|reached|overdrawn|violation)\b|\b(exceed(s|ed|ing)?|over|above|reached|out of) (the |its |his |her |their |your )?(max(imum)? )?((mail ?box|storage|disk|account|user|mail) )*(quota|storage|storage limit|size limit|allocation)\b`,
  String.raw`\b(mail ?(box|folder|drop)?|inbox|storage|account|user|recipient|maildir|in-box)\b[^.]{0,40}\b(is |was |has been |being )?(full|exceeded|out of (storage|space)|too full|out of disk space)\b|\bmail ?box size limit|\bmaximum (allowed )?mail ?box size|\bfull (mail ?box|inbox)\b|\b(not enough|insufficient|no) (storage |disk |free )?(space|storage|room)\b[^.]{0,40}\b(mail ?box|user|account|recipient)\b|\b(user|mail ?box|account) has too many messages\b`,
  String.raw`boite[^.]{0,40}\b(pleine|saturee)|quota[^.]{0,20}(depasse|uberschritten|superat|excedid|superad|przekroczon|overskredet|overskriden)|(postfach|mailbox|posteingang)[^.]{0,40}\bvoll\b|(buzon|casilla|bandeja)[^.]{0,40}\bllen[oa]|(cuota|cota)[^.]{0,20}(excedida|superada|ultrapassada)|caixa[^.]{0,40}\b(cheia|lotada)|casella[^.]{0,40}\b(piena|esaurit)|(mailbox|postvak|postbus)[^.]{0,30}\bvol\b|skrzynka[^.]{0,40}(pelna|przepelniona|zapelniona)|(posteljkasse|postkass\p{L}*|innboks\p{L}*|brevlad\p{L}*|postlad\p{L}*|postkass\p{L}*|indbakk\p{L}*)[^.]{0,30}\b(full|fuld|fullt)\b|postilaatikko[^.]{0,30}taynna|schranka[^.]{0,30}pln[ay]|postafiok[^.]{0,30}(megtelt|tele)|kutusu[^.]{0,30}\bdolu|kota[^.]{0,20}(asildi|dolu)|dezute[^.]{0,30}(pilna|perpildyta|uzpildyta)|pastkast\p{L}*[^.]{0,30}(piln|parpildit)`,
  String.raw`переполнен|ящик[^.]{0,40}(полон|заполнен)|превышен\p{L}* квот|квота[^.]{0,20}превышен|γραμματοκιβωτιο[^.]{0,30}γεματο|(صندوق|الصندوق)[^.]{0,40}(پر است|پر شده|ممتلئ)|(邮箱|信箱|郵箱|邮件箱)[^.]{0,12}(已满|已滿|容量|空间不足)|超(出|过)[^.]{0,8}(容量|配额)|メールボックス[^.]{0,12}(いっぱい|満杯|容量)|容量[^.]{0,8}(超過|オーバー|いっぱい)|(편지함|메일함|용량)[^.]{0,16}(가득|초과)`,
);

/** A problem with the sender: authentication, address, domain, or the host's name and DNS. */
const SENDER = anyOf(
  String.raw`\bspf\b|\bdkim\b|\bdmarc\b|\bunauthenticated\b|\bnot authenticated\b|\bauthentication (is )?(required|failed)|\b(reverse|forward).{0,3}dns\b|\brdns\b|\bptr\b|\binvalid dns mx\b|\bcannot find your (reverse )?host|\b(your|sending|client|connecting) (host ?name|reverse|mx)\b|\bno (matching )?(a|mx) record for (your|sender|from)`,
  String.raw`\b(helo|ehlo)\b|\bmy name was rejected|\bsyntactically invalid (argument|helo)|\byour (name|domain|host|helo|mail domain|e-?mail domain|from|sender|address|return[- ]path)\b`,
  String.raw`\b(sender|senders|sender's|sending|originator|originating|mail[- ]from|mfrom|envelope[- ](from|sender)|return[- ]path|reverse[- ]path|bounce|from[- ](address|header|domain|field)|header[- ]from|from:|5322\.?from|5321\.?mailfrom)\b[^.;]{0,50}\b(reject|denied|deny|invalid|not found|unknown|not exist|n[o']t exist|does ?n.?t|do ?n.?t|not resolve|not allowed|not permitted|not verif|unverif|verif|not accept|not valid|missing|malformed|misformat|unresolv|unroutable|no (mx|a|dns)|blocked|fail|bad|illegal|not authori|not acceptable|not listed|improper|domain)`,
  String.raw`\b(reject|denied|deny|invalid|unknown|bad|illegal|unverified|unresolvable|unroutable|malformed|unacceptable|could not verify|cannot verify|can't verify|unable to verify)\p{L}*\b[^.;]{0,25}\b(sender|mail[- ]from|from (address|header|domain|field)|return[- ]path|envelope[- ]from|originator)\b`,
  String.raw`\bdomain (name )?of (the )?sender|\bsender(s|'s)? (address|domain|host|mx|server|ip|id)\b|\bsendasdenied|\bmay not send as\b|\bsend as\b`,
  String.raw`expediteur|absender|remitente|remetente|mittente|afzender|nadawc|отправител|відправник|发件人|寄件(人|者)|送信(者|元)|발신|보낸|gonderen|gonderici|siuntej|sutitaj|avsandar|avsender|afsender|lahettaj|odesilatel|odosielatel|felado|αποστολε|فرستنده|المرسل`,
);

const RELAY = anyOf(
  String.raw`\brelay(ing)?\b[^.]{0,40}\b(denied|rejected|prohibited|disallowed|refused|forbidden|restricted|not (allowed|permitted|authori[sz]ed|supported|possible)|fail)`,
  String.raw`\b(unable|not allowed|not permitted|not authori[sz]ed|cannot|can't|unauthori[sz]ed|refuse|do(es)? ?n.?t|not|no|open) (to )?relay|\b(my|the) list of allowed rcpthosts|\bnot (hosted|configured|handled) (here|on this)|\bwe do(n't| not) (accept|handle) mail for`,
);

/** A block list, filter or rule of the receiver, in unambiguous phrases. */
const POLICY = anyOf(
  String.raw`\bspam|\bblock(ed|list|ing|ed by)?\b|\bblack ?-?list|\bdeny ?list|\bdnsbl\b|\brbl\b|\breputation\b|\bspamhaus\b|\bspamcop\b|\bbarracuda|\bproofpoint\b|\bphish|\bvirus|\bmalware|\bunsolicited\b|\bbulk\b|\bbanned\b|\bgr[ae]y-?list|\bwhite ?-?list|\ballow ?-?list|\b(administrative|administratively)\b|\bprohibited\b|\bcontent (filter|reject|restrict|violation)|\bdt:spm|\bsuspicious|\bsuspicion|\bonly accepts? (mail|messages|e-?mail) from|\bnot (allowed|permitted|authori[sz]ed) to send|\brestricted\b|\bjunk\b|\babus|\bcomplain|\bnot accept(ing)? (mail|messages|e-?mail)s? from|\bbad (ip|reputation)|\byour (ip|server|mail ?server|network|provider|isp)\b|\b(listed|found) (in|on|at|by) (the )?(host|rbl|dnsbl|sbl|xbl|pbl)\b`,
  String.raw`bloque[ea]|blockiert|gesperrt|bloccat[oa]|bloquead[oa]|zablokowan|uzblokuot|blokuojam|blokeret|blokkert|blockerad|blokeerd|blokovan|engellendi|стоп-лист|заблокирован|ч[её]рн\p{L}* спис|垃圾|黑名单|黑名單|反垃圾|スパム|迷惑メール|스팸|차단|اسپم|هرزنامه|مسدود`,
);

/** Phrases that suggest a rule of the receiver, but that servers also add to other refusals. */
const REFUSAL = anyOf(
  String.raw`\bpolicy\b|\bpolicies\b|\brejected due to\b|\bmessage (was )?rejected|\baccess denied\b|\bclient host rejected\b|\bsecurity\b`,
);

/** Temporary failures. */
const MOMENT = anyOf(
  String.raw`\btimed? ?-?out\b|\bconnection (was )?(refused|reset|lost|closed|dropped|failed)|\bno route to|\bunreachable\b|\btemporar|\btransient|\b(try|retry)( again)? (it )?(later|in \d)|\bnot found, try again|\bserver (is )?(busy|down)|\b(lookup|dns|ldap|directory|database)[^.]{0,20}\b(failure|fail(ed)?|error|timeout)\b|\bserver failure\b|\bservfail\b`,
  String.raw`vorubergehend|temporaire|temporalmente|temporanea|temporariamente|tijdelijk|tymczasow|tillfallig|midlertidig|laikinai|islaicig|docasn|valiaikai|временно|тимчасово|暂时|稍后|一時的|しばらく|일시적|موقت`,
);

/** Server failures, which some systems mention in addition to the actual reason. */
const FAULT = anyOf(
  String.raw`\bservice (is )?(not available|unavailable)|\bserver (is )?unavailable|\blocal error|\binternal error|\bsystem (error|resources|storage)|\binsufficient (system )?(storage|resources)|\bnetwork error|\btls\b`,
);

const SIZE = anyOf(
  String.raw`\bmessage (size|is too|too|length|exceeds)|\btoo (large|big)\b|\bsize limit\b|\b(max(imum)?|fixed) message size|\bline too long|\bexceed(s|ed)? (the )?(max(imum)? )?(message )?size|\bbare (lf|line)|\bmalformed (mime|message)|\b8.?bit\b|\bsmtputf8\b|\beai\b`,
);

const RECIPIENT_NOUN = String.raw`(user|users|recipient|recipients|mail ?box|account|address|alias|addressee|person|customer|user ?name|e-?mail (address|account)|mail ?drop|local[- ]?part|destination (mailbox|address|user))`;
const NOT_FOUND = String.raw`(unknown|not (be )?found|(does|do|did|is|are|was|has|have)[ ']?n[o'’]?t exist|not exist|not existing|no longer (exists?|available|valid|active|in use|used|here|with|works|employed|accepts|accepting|monitored|receives)|not known|not (be )?listed|(not|no longer) a (valid|known|local|current)|invalid|not (be )?recogni[sz]ed|non-?existent|nonexisting|not valid|not (a )?local|unavailable or does not exist|has left|unrouteable|unroutable|undeliverable|no such|(is|was|has been|been) (terminated|deleted|removed|closed|cancell?ed|discontinued|retired)|not our customer|never logged)`;

/** The address does not exist. */
const NO_SUCH_USER = anyOf(
  String.raw`\b(no such|unknown|unknown or (invalid|illegal)|invalid|bad|illegal|non-?existent|nonexisting|unrouteable|unroutable|undeliverable|unresolvable|unrecogni[sz]ed|not a (valid|known|local)|not valid|cannot find|could ?n.?t find|unable to find) (local |virtual |e-?mail |mail |destination |final |such )?${RECIPIENT_NOUN}\b(?! (specified|given|supplied|provided|list))`,
  String.raw`(?<!\bip[ -])\b${RECIPIENT_NOUN}\b[^.;]{0,60}\b${NOT_FOUND}\b`,
  String.raw`@[>)'\]]*[\s:,-]{0,3}(is |was )?(an? )?\b${NOT_FOUND}\b`,
  String.raw`\b(does ?n.?t|do not|does not) have an? \S{1,60}( e-?mail| mail)? account\b|\buser does ?n.?t have\b|\bno (mail ?box|account|one|user)[^.]{0,12} (by|with|under) (that|this) (name|address)|\bno (mail ?box|user|account) (here|found|exists)|\bnot our customer|\bthere is no (user|mail ?box|account|one)\b|\bno longer (works|employed) (at|for|here|with)\b|\bno such (person|name|mail ?drop|addressee|destination)\b`,
  String.raw`\brecip(ient)?notfound\b|\bresolver\.adr\b[^.]{0,20}|\bnot listed in\b[^.]{0,40}\bdirectory\b|\bnot in (the |our )?(directory|address ?book)|\buser not known\b|\bno valid (mail ?box|user|account)|\baddress rejected: (undeliverable|unknown|no such|user|invalid|unverified)|\b(mail ?box|user|account|address) (is )?(not|un)known\b`,
  String.raw`utilisateur[^.]{0,20}(inconnu|inexistant|introuvable)|destinataire[^.]{0,20}(inconnu|invalide|inexistant|introuvable)|(adresse|compte|boite)[^.]{0,40}(inconnue?|inexistante?|invalide|introuvable|n.existe (pas|plus))|unbekannte?r? (empfanger|empfaenger|benutzer|nutzer|adresse)|(empfanger|empfaenger|benutzer|nutzer|adresse|postfach|konto)\p{L}*[^.]{0,40}(unbekannt|existiert nicht|nicht (gefunden|vorhanden|bekannt)|ungultig|gibt es nicht)|kein (solcher )?(benutzer|empfanger|postfach)|(usuario|cuenta|buzon|destinatario|direccion|casilla)[^.]{0,30}(desconocid|inexistente|no existe|no encontrad|no valid)|no existe (el|la|ese|esa) (usuario|cuenta|buzon|direccion|casilla|destinatario)|(usuario|conta|caixa postal|caixa de correio|destinatario|endereco)[^.]{0,30}(desconhecid|inexistente|nao existe|nao encontrad|invalid)|(utente|destinatario|casella|indirizzo|account)[^.]{0,30}(sconosciut|inesistente|non esiste|non trovat|non valid)`,
  String.raw`gebruiker[^.]{0,20}(onbekend|bestaat niet|niet gevonden)|onbekende (gebruiker|ontvanger)|(adres|postbus|mailbox|ontvanger)[^.]{0,20}(onbekend|bestaat niet|niet gevonden)|nieznany (uzytkownik|odbiorca|adresat)|(uzytkownik|odbiorca|konto|adres|skrzynka)[^.]{0,30}nie (istnieje|zostal znaleziony|znaleziono)|nie ma takiego (uzytkownika|konta|adresu)|okand (mottagare|anvandare|adress)|(mottagar|anvandar|adress|brevlad|kontot)\p{L}*[^.]{0,30}(finns inte|okand|hittades inte|existerar inte)|ukjent (bruker|mottaker|adresse)|ukendt (bruger|modtager|adresse)|(bruker|mottaker|adress|postkass|konto|bruger|modtager)\p{L}*[^.]{0,30}(finnes ikke|findes ikke|eksisterer ikke|ukjent|ukendt|(ble )?ikke funnet|ikke fundet)|tuntematon (vastaanottaja|kayttaja)|(kayttaja|vastaanottaja|osoite)\p{L}*[^.]{0,20}(ei (ole|loydy|loytynyt)|tuntematon)`,
  String.raw`neznam[yay] (uzivatel|prijemce|adresa|pouzivatel)|(uzivatel|adresa|schranka|prijemce)[^.]{0,20}(neexistuje|nenalezen|neznam)|nincs ilyen (felhasznalo|cim)|ismeretlen (cimzett|felhasznalo)|(kullanici|alici|adres)[^.]{0,20}(bulunamadi|yok|gecersiz|mevcut degil)|gecersiz (alici|adres|kullanici)|(vartotoj|adres|gavej|dezut|paskyr)\p{L}*[^.]{0,20}(neegzistuoja|nerast|nezinom)|nera (tokio|tokios) (vartotojo|adreso|dezutes)|nezinom\p{L}* (gavej|vartotoj)|(lietotaj|adres|sanemej|pastkast)\p{L}*[^.]{0,20}(neeksiste|nav atrast|nezinam|neatrod)|nezinam\p{L}* (lietotaj|sanemej)|(utilizator|adres[ae]|destinatar)\p{L}*[^.]{0,20}(necunoscut|nu exista|inexistent)`,
  String.raw`(пользовател|получател|адресат|адрес|ящик|аккаунт|учетн)\p{L}*[^.]{0,40}не (найден|существует|зарегистрирован|известен)|нет такого (пользовател|получател|адрес|ящик)|неизвестн\p{L}* (пользовател|получател|адрес)|(користувач|скриньк|одержувач)\p{L}*[^.]{0,20}не (знайден|існує)|(χρηστης|παραληπτης|διευθυνση)[^.]{0,20}(δεν υπαρχει|δεν βρεθηκε|αγνωστ)|αγνωστος (χρηστης|παραληπτης)|(用户|收件人|邮箱|地址|账号|帐号|账户|帐户|使用者|信箱|帳號|收信人)[^.。]{0,12}(不存在|未找到|不正确|无效|找不到|無效)|无此用户|查無此人|(ユーザー?|宛先|アドレス|受信者)[^.。]{0,12}(存在しません|存在しない|見つかりません|不明)|(사용자|수신자|계정|주소)[^.]{0,12}(존재하지 않|찾을 수 없|없습니다)|(کاربر|گیرنده|آدرس|نشانی|حساب)[^.]{0,24}(وجود ندارد|یافت نشد|ناشناس|نامعتبر)|(المستخدم|المستلم|العنوان)[^.]{0,20}(غير موجود|غير معروف)`,
);

/** The domain does not exist or accepts no email. */
const NO_DOMAIN = anyOf(
  String.raw`\b(no such|unknown|unresolvable|unrouteable|non-?existent|cannot find|could ?n.?t find( any)?) (mail |destination |recipient |recipient's )?(domain|host)\b|\b(domain|host|host name|domain name|mail ?server)( name)?\b[^.;]{0,50}\b(unknown|not (be )?found|does ?n[o'’]?t exist|not exist|nxdomain|no longer exists|non-?existent|not known)\b|\bnxdomain\b|\bhost or domain name not found\b|\bcould ?n.?t find any host named\b`,
  String.raw`\bindicated no smtp service\b|\bnull.?mx\b|\b(does|do|did) ?n[o'’]?t accept (any )?(incoming )?(e-?mails?|mails?|messages)\b(?! from)|\bno (valid |usable |working )?(mx|mail exchangers?|mail servers?|mail hosts?)\b|\b(has|have|with|without) no (mx|mail exchanger)|\bmx records? (point|resolve)[^.]{0,40}(non-?existent|invalid|nowhere)|\bno mx (records?|hosts?)\b`,
);

/** Mentions the recipient's domain. */
const RECIPIENT_DOMAIN = anyOf(
  String.raw`\brecipient(s|'s)?\b[^.;]{0,40}\bdomain\b|\bdestination (domain|host)\b|\brcpt\b[^.;]{0,40}\bdomain\b`,
);

const NOT_TAKING = anyOf(
  String.raw`\b(disabled|inactive|suspended|deactivated|locked|frozen|not active|on hold|not accepting)\b`,
);

/**
 * GMX, web.de and outlook.com use this text if the address does not exist, but also for problems
 * with the sender's domain and for spam.
 */
const UNAVAILABLE = /requested action not taken: mailbox unavailable/i;
const RESTRICTED_MAILBOX = anyOf(
  String.raw`\btemporar\p{L}* (disabled|suspended|locked|deactivated|unavailable|inactive|blocked|closed)|\b(disabled|suspended|locked|deactivated|unavailable|inactive) temporar`,
);

/** Unambiguous phrases that override a code of cause `person`; the first match counts. */
const CLEAR: readonly (readonly [RegExp, BounceCause])[] = [
  [RATE, 'policy'],
  [MAILBOX_FULL, 'full'],
  [SENDER, 'domain'],
  [RELAY, 'policy'],
  [RESTRICTED_MAILBOX, 'mailbox'],
  [POLICY, 'policy'],
  [MOMENT, 'network'],
];

const PHRASES: readonly (readonly [RegExp, BounceCause])[] = [
  ...CLEAR,
  [REFUSAL, 'policy'],
  [NO_SUCH_USER, 'person'],
  [UNAVAILABLE, 'person'],
  [NOT_TAKING, 'mailbox'],
  [SIZE, 'message'],
  [FAULT, 'network'],
];

const LISTS = /spamhaus|spamcop|sorbs|barracudacentral|surbl|uribl|uceprotect|abuseat|invaluement/i;
const MAX_READ = 2_000;

/**
 * Removes accents, and also addresses, links and host names, which may contain words such as
 * `spam@` or `mx.blocked.example` that mean nothing here. Names of block lists become `blocklist`.
 */
function normalizeDiagnostic(diagnostic: string): string {
  return fold(diagnostic.slice(0, MAX_READ))
    .replace(/\bhttps?:\/\/[^\s<>"']{1,300}/gi, ' ')
    .replace(/[^\s<>()[\]:;,"'|]{1,64}@[^\s<>()[\]:;,"'|]{1,253}/g, '@')
    .replace(
      /\breturn(ed|ing)? (the |your |this )?(message |mail |e-?mail )?to (the )?sender\b/gi,
      ' ',
    )
    .replace(/\b[a-z\d][a-z\d-]{0,62}(\.[a-z\d-]{1,63}){0,8}\.[a-z][a-z\d-]{1,62}\b/gi, hostToken);
}

const NAMES = /^(resolver\.adr|from)/i;
function hostToken(host: string): string {
  if (LISTS.test(host)) return 'blocklist';
  return NAMES.test(host) ? host : 'host';
}

const SMTP_REPLY = /(?:^|[\s#:>;'"])[45]\d\d(?=[\s-])/;

/**
 * Returns the cause in the text that contradicts a code of cause `person`; undefined if there is
 * none.
 * @param isOwnCode true if the code is in the text itself or is ambiguous; then only clear phrases
 * and phrases about the size contradict it
 */
export function findObjection(diagnostic: string, isOwnCode: boolean): BounceCause | undefined {
  const normalized = normalizeDiagnostic(diagnostic);
  for (const [pattern, cause] of CLEAR) if (pattern.test(normalized)) return cause;
  if (NO_SUCH_USER.test(normalized)) return undefined;
  if (SIZE.test(normalized)) return 'message';
  if (isOwnCode) return undefined;
  return REFUSAL.test(normalized) ? 'policy' : FAULT.test(normalized) ? 'network' : undefined;
}

/** Returns the cause in the text; undefined if it contains no known phrase. */
export function findCause(diagnostic: string): BounceCause | undefined {
  const normalized = normalizeDiagnostic(diagnostic);
  for (const [pattern, cause] of PHRASES) {
    if (pattern.test(normalized)) return cause;
    if (pattern === NO_SUCH_USER && deniesDomain(normalized)) return 'person';
  }
  return undefined;
}

/**
 * Returns whether the text says that the address or its domain does not exist, and suggests no
 * refusal.
 */
export function deniesMailbox(diagnostic: string): boolean {
  const normalized = normalizeDiagnostic(diagnostic);
  if (REFUSAL.test(normalized) || CLEAR.some(([pattern]) => pattern.test(normalized))) return false;
  return NO_SUCH_USER.test(normalized) || deniesDomain(normalized);
}

/**
 * Returns whether the text says that the recipient's domain does not exist. A text with an SMTP
 * reply comes from a server found through the recipient's domain, so a domain that this server
 * cannot find is the sender's, unless the text mentions the recipient's domain. A text without an
 * SMTP reply comes from the sending server, which looked up the recipient's domain.
 */
function deniesDomain(normalized: string): boolean {
  if (!NO_DOMAIN.test(normalized)) return false;
  return !SMTP_REPLY.test(normalized) || RECIPIENT_DOMAIN.test(normalized);
}
