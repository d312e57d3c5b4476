// Events and questions of domains for higher areas.
import { defineEvent, defineQuestion } from '#platform/server/events.ts';

/** An email with this link must be sent to the address of a domain being added. */
export const domainEmailNeeded = defineEvent<{
  accountId: number;
  domain: string;
  email: string;
  language: string;
  /** The secret part of the link, which also identifies the account. */
  token: string;
}>('domains.letter_needed');

/** Which objects stop if this domain (in its DNS form) may no longer send? */
export const domainUsedBy = defineQuestion<
  { accountId: number; domain: string },
  { kind: string; id: string; title: string }
>('domain.usedBy');

/**
 * A domain of this account was verified, lost its verification or was removed, so senders must reload
 * it.
 */
export const domainsProven = defineEvent<{ accountId: number }>('domains.proven');
