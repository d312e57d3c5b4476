// Erasure in stored audiences: messages retain the conditions of their segments.
import { withoutAddresses } from '#areas/segments/server/index.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { readSegmentAudiences, saveAudience } from './erase-people.sql.ts';

/** Handler of `subscriber.erased`. */
export async function forgetAudiences(
  tx: Tx,
  { accountId, addresses }: { accountId: number; addresses: readonly string[] },
): Promise<void> {
  for (const { id, audience } of await readSegmentAudiences(tx, accountId)) {
    let hasAny = false;
    const forget = (segments: typeof audience.segments) =>
      segments?.map((conditions) => {
        const forgotten = withoutAddresses(conditions, addresses);
        hasAny ||= forgotten !== undefined;
        return forgotten ?? conditions;
      });
    const { segments, excludedSegments } = audience;
    const changed = {
      ...audience,
      segments: forget(segments),
      excludedSegments: forget(excludedSegments),
    };
    if (hasAny) await saveAudience(tx, accountId, id, changed);
  }
}
