// Sets one value for many subscribers in one statement, as a workflow step does.
import type { Cause } from '#platform/origins.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { subscribersUpdated } from './events.ts';
import type { FieldValue } from './people.ts';
import { setFieldValues } from './people.sql.ts';

/**
 * Sets a custom field of these subscribers to a value that the fields area parsed, or removes it
 * (null). Deleted subscribers and other accounts' subscribers are ignored. @returns the ids of the
 * changed subscribers
 */
export async function setFieldValue(
  tx: Tx,
  accountId: number,
  subscriberIds: readonly number[],
  { fieldId, value }: { fieldId: number; value: FieldValue | null },
  cause: Cause,
): Promise<number[]> {
  if (subscriberIds.length === 0) return [];
  const change = { fieldId, value, at: clock.now() };
  const changedIds = await setFieldValues(tx, accountId, subscriberIds, change);
  if (changedIds.length > 0) {
    const event = { accountId, subscriberIds: changedIds, fieldIds: [fieldId] };
    await subscribersUpdated.announce(tx, { ...event, ...cause });
  }
  return changedIds;
}
