// Allowances that nobody needs any more.
import { clock } from '#platform/server/clock.ts';
import type { Poller } from '#platform/server/pollers.ts';
import { deleteOldAllowances } from './allowances.sql.ts';

/** An hour's and a day's slots, and lessons, are over well before. */
const KEPT_MS = 2 * 86_400_000;

/** Sweeps what was last changed days ago: each domain that once wanted it slower has a row. */
export const allowancesPoller: Poller = {
  name: 'delivery.allowances',
  everyMs: 3_600_000,
  run: (db) => deleteOldAllowances(db, new Date(clock.now().getTime() - KEPT_MS)),
};
