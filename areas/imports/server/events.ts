// A question of imports that higher areas answer.
import { defineQuestion } from '#platform/server/events.ts';

/**
 * Collects those of the given subscribers that an undo must not delete, because messages were sent
 * to them.
 */
export const subscribersInUse = defineQuestion<
  { accountId: number; subscriberIds: number[] },
  number
>('import.people_in_use');
