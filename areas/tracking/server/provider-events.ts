// Deletes claimed provider events after 60 days because providers repeat an event for days at most.
import { clock } from '#platform/server/clock.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { listAccountsWithOldEvents, deleteOldEvents } from './provider-events.sql.ts';

const RETENTION_MS = 60 * 86_400_000;
const EVENTS_PER_SLICE = 5_000;
/** Time limit of one run; the next run continues. */
const MAX_RUN_MS = 20 * 60_000;

/** @param page number of accounts per query */
export function providerEventsPoller(page = 1_000): Poller {
  return {
    name: 'tracking.provider-events',
    intervalMs: 3_600_000,
    async run(db, signal) {
      const before = new Date(clock.now().getTime() - RETENTION_MS);
      const ending = AbortSignal.any([signal, AbortSignal.timeout(MAX_RUN_MS)]);
      // Starts before account 0, which stores events that concern all accounts.
      let accounts = await listAccountsWithOldEvents(db, before, { after: -1, size: page });
      while (accounts.length > 0 && !ending.aborted) {
        for (const accountId of accounts) {
          let deletedCount = EVENTS_PER_SLICE;
          while (deletedCount === EVENTS_PER_SLICE && !ending.aborted) {
            deletedCount = await deleteOldEvents(db, accountId, before, EVENTS_PER_SLICE);
          }
        }
        const lastAccountId = accounts.at(-1) as number;
        accounts = await listAccountsWithOldEvents(db, before, {
          after: lastAccountId,
          size: page,
        });
      }
    },
  };
}
