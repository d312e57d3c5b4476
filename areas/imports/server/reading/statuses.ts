// Parses subscriber statuses of other systems: their own terms, and words in the product's six and
// some other languages.
import { parseYesNo } from './yes-no.ts';

export type ImportedStatus = 'active' | 'bounced' | 'unsubscribed' | 'reported' | 'non-subscribed';

const synonyms: Record<ImportedStatus, string> = {
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

const statusByName = new Map<string, ImportedStatus>(
  Object.entries(synonyms).flatMap(([status, each]) =>
    each.split('|').map((synonym): [string, ImportedStatus] => [synonym, status as ImportedStatus]),
  ),
);

const foldName = (text: string) =>
  text
    .trim()
    .toLowerCase()
    .replace(/[-_\s]+/g, ' ');

/** Returns the status for a word, or undefined if it is unknown. */
export function parseStatus(text: string): ImportedStatus | undefined {
  const status = statusByName.get(foldName(text));
  if (status !== undefined) return status;
  const isYes = parseYesNo(text);
  return isYes === undefined ? undefined : isYes ? 'active' : 'non-subscribed';
}

/** Placeholders that systems write for empty values. */
const EMPTY_VALUE =
  /^(?:|[-–—_.]+|0|none|null|nil|\\n|n\/?a|never|nan|undefined|empty|aldri|aldrig|niekada|nekad|هرگز)$/;
const ZERO_DATE = /^[0:. T/-]+$/;

/** Returns whether a cell of an opt-out column means no opt-out. */
export function isNothing(text: string): boolean {
  const normalized = text.trim().toLowerCase();
  return (
    EMPTY_VALUE.test(normalized) || ZERO_DATE.test(normalized) || parseYesNo(normalized) === false
  );
}

/** Words of an opt-out column that mean consent. */
const STAYS = new Set([
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
 * Parses a cell of suppression reasons: undefined for an empty cell, a 'no' or a word that means
 * consent, otherwise the status. An unknown reason is treated as an opt-out, so that an unknown
 * word activates no subscriber.
 */
export function parseSuppression(text: string): ImportedStatus | undefined {
  const unquoted = text.replace(/[[\]"'{}]/g, '').trim();
  if (isNothing(unquoted) || STAYS.has(foldName(unquoted))) return undefined;
  const status = parseStatus(unquoted);
  if (status === 'bounced' || status === 'reported' || status === 'unsubscribed') return status;
  if (/spam|complain|abuse/i.test(unquoted)) return 'reported';
  return /bounce|invalid|undeliver/i.test(unquoted) ? 'bounced' : 'unsubscribed';
}

/** If a person has two statuses, the later one in this list applies. */
const BY_SEVERITY: readonly ImportedStatus[] = [
  'active',
  'non-subscribed',
  'unsubscribed',
  'bounced',
  'reported',
];

export function getWorseStatus(a: ImportedStatus | null, b: ImportedStatus): ImportedStatus {
  return a !== null && BY_SEVERITY.indexOf(a) > BY_SEVERITY.indexOf(b) ? a : b;
}
