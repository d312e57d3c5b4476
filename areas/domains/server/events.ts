// Events and questions of domains for higher areas.
import { defineEvent, defineQuestion } from '#platform/server/events.ts';

/**
 * A confirmation link must be emailed to the domain's address, because the domain was added or the
 * user requested another link.
 */
export const domainEmailNeeded = defineEvent<{
  accountId: number;
  domain: string;
  email: string;
  language: string;
  /**
   * The part of the link that identifies the account and proves the address: `<account>.<secret>`.
   */
  token: string;
}>('domains.letter_needed');

/** Which objects stop if this domain (in its DNS form) may no longer send? */
export const domainUsedBy = defineQuestion<
  { accountId: number; domain: string },
  { kind: string; id: string; title: string }
>('domain.usedBy');

/**
 * A domain of the account was verified, lost its verification or was removed, so sending processes
 * must check again whether the account's messages may be sent.
 */
export const domainsChanged = defineEvent<{ accountId: number }>('domains.proven');
