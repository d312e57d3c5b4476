// Erases addresses from the segment conditions that are stored with the audiences of messages.
import { eraseAddresses } from '#areas/segments/server/index.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { readSegmentAudiences, saveAudience } from './erase-people.sql.ts';

/** Handles `subscriber.erased`. */
export async function eraseFromAudiences(
  tx: Tx,
  { accountId, addresses }: { accountId: number; addresses: readonly string[] },
): Promise<void> {
  for (const { id, audience } of await readSegmentAudiences(tx, accountId)) {
    let hasAny = false;
    const erase = (segments: typeof audience.segments) =>
      segments?.map((conditions) => {
        const cleanedConditions = eraseAddresses(conditions, addresses);
        hasAny ||= cleanedConditions !== undefined;
        return cleanedConditions ?? conditions;
      });
    const { segments, excludedSegments } = audience;
    const changedAudience = {
      ...audience,
      segments: erase(segments),
      excludedSegments: erase(excludedSegments),
    };
    if (hasAny) await saveAudience(tx, accountId, id, changedAudience);
  }
}
