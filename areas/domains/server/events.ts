// What domains announces upward.
import { defineEvent } from '#platform/server/events.ts';

/** A letter with this link must go to the address of a domain being added. */
export const domainLetterNeeded = defineEvent<{
  accountId: number;
  domain: string;
  email: string;
  language: string;
  /** Goes into the link; says its account. */
  token: string;
}>('domains.letter_needed');

/** A domain of this account was verified, lost its proof or was removed: whose mails may leave is another. */
export const domainsProven = defineEvent<{ accountId: number }>('domains.proven');
