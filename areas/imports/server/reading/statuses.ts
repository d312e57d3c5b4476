// What lists of other systems call a person's status, in their words and in the six languages.

export type ImportedStatus = 'active' | 'bounced' | 'unsubscribed' | 'reported' | 'non-subscribed';

const words: Record<ImportedStatus, string> = {
  active:
    'active|subscribed|confirmed|optin|opted in|yes|true|1|aktiv|abonnent|ja|prenumererar|aktyvus|taip|aktīvs|jā|فعال|بله',
  unsubscribed:
    'unsubscribed|unsubscribe|optout|opted out|opt out|removed|inactive|suppressed|user suppressed|manual suppression|manually suppressed|blocklisted|blacklisted|avmeldt|avregistrerad|avprenumererad|atsisakęs|atrakstījies|لغو اشتراک',
  bounced:
    'bounced|bounce|hard bounced|hard bounce|hardbounce|cleaned|invalid|invalid email|undeliverable',
  reported:
    'reported|complained|complaint|spam|spam reported|spam complaint|marked as spam|abuse|junk',
  'non-subscribed':
    'non subscribed|nonsubscribed|not subscribed|never subscribed|archived|unconfirmed|pending|transactional|no|false|0|nei|nej|ne|nē|خیر',
};

const known = new Map<string, ImportedStatus>(
  Object.entries(words).flatMap(([status, each]) =>
    each.split('|').map((word): [string, ImportedStatus] => [word, status as ImportedStatus]),
  ),
);

/** The status that a word stands for, or undefined when it is not known. */
export function parseStatus(text: string): ImportedStatus | undefined {
  return known.get(
    text
      .trim()
      .toLowerCase()
      .replace(/[-_\s]+/g, ' '),
  );
}

const nothing = /^(?:|no|false|0|none|null|nei|nej|ne|nē|خیر)$/;

/**
 * What a column of reasons not to write says: nothing where it is empty or says no, or else why. An unknown
 * reason is one too: nobody is written to because its words were new.
 */
export function parseSuppression(text: string): ImportedStatus | undefined {
  const words = text.replace(/[[\]"'{}]/g, '').trim();
  if (nothing.test(words.toLowerCase())) return undefined;
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
