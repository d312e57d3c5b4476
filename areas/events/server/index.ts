// The public interface of custom events for higher areas.
import { subscribersErased, subscribersPurged } from '#areas/subscribers/server/index.ts';
import { type Area, on } from '#platform/server/area.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { deleteOccurrences, rewriteDescriptions } from './events.sql.ts';
import { eventRoutes } from './routes.ts';
import { addressesErased, eraseFromTexts } from '#platform/server/erasure/erasure.ts';

export const area: Area = {
  name: 'events',
  description: 'Custom events that programs report about subscribers, and their types.',
  routes: eventRoutes,
  eventHandlers: [
    on(subscribersErased, eraseOccurrences),
    on(subscribersPurged, eraseOccurrences),
    on(addressesErased, eraseFromTexts(rewriteDescriptions)),
  ],
};

export { customEventRecorded, customEventUsedBy } from './events.ts';
export { findEventNames } from './events.sql.ts';

async function eraseOccurrences(
  tx: Tx,
  deletion: { accountId: number; subscriberIds: number[] },
): Promise<void> {
  await deleteOccurrences(tx, deletion.accountId, deletion.subscriberIds);
}
