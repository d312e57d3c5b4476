// Events of exports.
import { defineEvent } from '#platform/server/events.ts';

/** Published when a slow export finishes. Its user gets a system email with the download link. */
export const exportReady = defineEvent<{
  accountId: number;
  userId: number;
  /** The secret in the link, stored only as a hash. */
  secret: string;
}>('export.ready');
