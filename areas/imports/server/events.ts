// A question that imports ask and higher areas answer.
import { defineQuestion } from '#platform/server/events.ts';

/**
 * Asks which of the subscribers an undo must not delete, because messages were sent to them.
 */
export const subscribersInUse = defineQuestion<
  { accountId: number; subscriberIds: number[] },
  number
>('import.people_in_use');
