// Events of exports: a slow export sends an email.
import { defineEvent } from '#platform/server/events.ts';

export const exportReady = defineEvent<{
  accountId: number;
  userId: number;
  /** The secret in the link, stored only as a hash. */
  secret: string;
}>('export.ready');
