// The contact guard and the quiet hours of an account, which hold back marketing messages of
// automations.
import type { z } from 'zod';
import { recordChange } from '#platform/server/audit.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { ContactGuard } from '../../workflows-contract.ts';
import { findGuard, upsertGuard, wakeDelayed } from './sending-limits.sql.ts';
import { wakeAccount } from './runs.sql.ts';

type ContactLimits = z.output<typeof ContactGuard>;
const NO_LIMITS: ContactLimits = { messages: null, days: 7, quiet_from: null, quiet_until: null };

export async function getContactLimits(db: Reader, accountId: number): Promise<ContactLimits> {
  const row = await findGuard(db, accountId);
  if (!row) return NO_LIMITS;
  const { messages, days, quiet_from, quiet_until } = row;
  return { messages, days, quiet_from, quiet_until };
}

/** Saves the settings. Subscribers held by the previous settings are evaluated again. */
export async function saveGuard(
  tx: Tx,
  accountId: number,
  guard: ContactLimits,
): Promise<ContactLimits> {
  const at = clock.now();
  recordChange({ before: await getContactLimits(tx, accountId) });
  await upsertGuard(tx, accountId, guard);
  await wakeDelayed(tx, accountId, at);
  await wakeAccount(tx, accountId, at);
  return guard;
}
