// What lists of other systems call a person's status, in their words and in the six languages.

export type ImportedStatus = 'active' | 'bounced' | 'unsubscribed' | 'reported' | 'non-subscribed';

const words: Record<ImportedStatus, string> = {
  active:
    'active|subscribed|confirmed|optin|opted in|yes|true|1|aktiv|abonnent|ja|prenumererar|aktyvus|taip|aktīvs|jā|فعال|بله',
  unsubscribed:
    'unsubscribed|optout|opted out|opt out|removed|inactive|avmeldt|avregistrerad|avprenumererad|atsisakęs|atrakstījies|لغو اشتراک',
  bounced: 'bounced|bounce|hard bounced|hard bounce|cleaned|invalid|undeliverable',
  reported: 'reported|complained|complaint|spam|spam reported|abuse|junk',
  'non-subscribed':
    'non subscribed|nonsubscribed|not subscribed|unconfirmed|pending|transactional|no|false|0|nei|nej|ne|nē|خیر',
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
