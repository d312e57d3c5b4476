// What imports ask upward.
import { defineQuestion } from '#platform/server/events.ts';

/** Who of these people cannot just be taken out again: they were written to, an automation has them. */
export const peopleInUse = defineQuestion<{ accountId: number; subscriberIds: number[] }, number>(
  'import.people_in_use',
);
