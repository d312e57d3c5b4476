// Deletes unused allowances.
import { clock } from '#platform/server/clock.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { deleteOldAllowances } from './allowances.sql.ts';

/** Slots of an hour or a day, and learned rates, expire well before this time. */
const RETENTION_MS = 2 * 86_400_000;

/**
 * Deletes rows that have not changed for two days. Otherwise the row of every domain that ever
 * requested a lower rate would remain.
 */
export const allowancesPoller: Poller = {
  name: 'delivery.allowances',
  intervalMs: 3_600_000,
  run: (db) => deleteOldAllowances(db, new Date(clock.now().getTime() - RETENTION_MS)),
};
