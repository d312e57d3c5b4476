// Questions of imports that higher areas answer.
import { defineQuestion } from '#platform/server/events.ts';

/**
 * Subscribers that must not be deleted by an undo: emails were sent to them, or a workflow contains
 * them.
 */
export const peopleInUse = defineQuestion<{ accountId: number; subscriberIds: number[] }, number>(
  'import.people_in_use',
);
