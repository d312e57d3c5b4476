// The question of imports that higher areas answer.
import { defineQuestion } from '#platform/server/events.ts';

/**
 * Returns those of the subscribers that an undo must not delete, because messages were sent to
 * them.
 */
export const peopleInUse = defineQuestion<{ accountId: number; subscriberIds: number[] }, number>(
  'import.people_in_use',
);
