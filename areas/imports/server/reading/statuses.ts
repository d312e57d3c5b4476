// What lists of other systems call a person's status, in their words and in the six languages.
import { parseYesNo } from './yes-no.ts';

export type ImportedStatus = 'active' | 'bounced' | 'unsubscribed' | 'reported' | 'non-subscribed';

const words: Record<ImportedStatus, string> = {
  active:
    'active|subscribed|confirmed|optin|opt in|explicit|express|implied|opted in|yes|true|1|aktiv|abonnent|ja|prenumererar|aktyvus|taip|aktīvs|jā|فعال|بله',
  unsubscribed:
    'unsubscribed|unsubscribe|optout|opted out|opt out|removed|inactive|suppressed|user suppressed|manual suppression|manually suppressed|blocklisted|blacklisted|avmeldt|avregistrerad|avprenumererad|atsisakęs|atrakstījies|لغو اشتراک|unsub|cancelled|canceled|blocked|suspended|deactivated|do not allow|not allowed|avmeld|avanmäld|frameldt|afmeldt|atsisakė|atsisakyta|atteicies|abgemeldet|désinscrit|désabonné|dado de baja|baja|disiscritto|afgemeld|uitgeschreven|wypisany|descadastrado',
  bounced:
    'bounced|bounce|hard bounced|hard bounce|hardbounce|cleaned|invalid|invalid email|undeliverable',
  reported:
    'reported|complained|complaint|spam|spam reported|spam complaint|marked as spam|abuse|junk',
  'non-subscribed':
    'non subscribed|nonsubscribed|not subscribed|never subscribed|archived|unconfirmed|pending|awaiting confirmation|no consent|transactional|no|false|0|nei|nej|ne|nē|خیر',
};

const known = new Map<string, ImportedStatus>(
  Object.entries(words).flatMap(([status, each]) =>
    each.split('|').map((word): [string, ImportedStatus] => [word, status as ImportedStatus]),
  ),
);

const folded = (text: string) =>
  text
    .trim()
    .toLowerCase()
    .replace(/[-_\s]+/g, ' ');

/** The status that a word stands for, or undefined when it is not known. */
export function parseStatus(text: string): ImportedStatus | undefined {
  const status = known.get(folded(text));
  if (status !== undefined) return status;
  const said = parseYesNo(text);
  return said === undefined ? undefined : said ? 'active' : 'non-subscribed';
}

/** What systems write where there is nothing. */
const empty =
  /^(?:|[-–—_.]+|0|none|null|nil|\\n|n\/?a|never|nan|undefined|empty|aldri|aldrig|niekada|nekad|هرگز)$/;
const zeroDate = /^[0:. T/-]+$/;

/** Whether a cell of a column about opt-outs says that there was none. */
export function isNothing(text: string): boolean {
  const word = text.trim().toLowerCase();
  return empty.test(word) || zeroDate.test(word) || parseYesNo(word) === false;
}

/** Words by which a column of opt-outs says that the person may be written to. */
const stays = new Set([
  'subscribed',
  'opted in',
  'opt in',
  'optin',
  'active',
  'aktiv',
  'allow',
  'allowed',
]);

/**
 * What a column of reasons not to write says: nothing where it is empty or says no, or else why. An unknown
 * reason is one too: no person is written to because its words were new.
 */
export function parseSuppression(text: string): ImportedStatus | undefined {
  const words = text.replace(/[[\]"'{}]/g, '').trim();
  if (isNothing(words) || stays.has(folded(words))) return undefined;
  const status = parseStatus(words);
  if (status === 'bounced' || status === 'reported' || status === 'unsubscribed') return status;
  if (/spam|complain|abuse/i.test(words)) return 'reported';
  return /bounce|invalid|undeliver/i.test(words) ? 'bounced' : 'unsubscribed';
}

/** Of two statuses of one person the later one in this list holds. */
const worse: readonly ImportedStatus[] = [
  'active',
  'non-subscribed',
  'unsubscribed',
  'bounced',
  'reported',
];

export function worseOf(a: ImportedStatus | null, b: ImportedStatus): ImportedStatus {
  return a !== null && worse.indexOf(a) > worse.indexOf(b) ? a : b;
}
