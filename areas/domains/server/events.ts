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
