// What domains announces upward.
import { defineEvent, defineQuestion } from '#platform/server/events.ts';

/** A letter with this link must go to the address of a domain being added. */
export const domainLetterNeeded = defineEvent<{
  accountId: number;
  domain: string;
  email: string;
  language: string;
  /** Goes into the link; says its account. */
  token: string;
}>('domains.letter_needed');

/** What stops when this domain (as DNS has it) may send no more. */
export const domainUsedBy = defineQuestion<
  { accountId: number; domain: string },
  { kind: string; id: string; title: string }
>('domain.usedBy');

/** A domain of this account was verified, lost its proof or was removed: whose mails may leave is another. */
export const domainsProven = defineEvent<{ accountId: number }>('domains.proven');
