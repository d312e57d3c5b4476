// Periodic work: one elected worker process checks at fixed intervals what is due. A poller first
// finds the accounts with due work, then processes them one by one.
import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import type { Db } from '../database/database.ts';
import { getPool } from '../database/database.ts';
import { log } from '../log.ts';
import { counter } from '../metrics.ts';
import { assertConnectionAlive, tryAcquireLeadership, enableKeepalives } from './pollers.sql.ts';

export type Poller = {
  name: string;
  intervalMs: number;
  /** Does the work that is due now. Must be idempotent, because leadership may change midway. */
  run: (db: Db, signal: AbortSignal) => Promise<unknown>;
};

const ELECTION_MS = 5_000;

/** How often the leader checks that the database server responds, and the timeout of a check. */
type ConnectionCheck = { intervalMs: number; timeoutMs: number };
const DEFAULT_CHECK: ConnectionCheck = { intervalMs: 5_000, timeoutMs: 5_000 };

const runs = counter('poller_runs_total', 'Rounds of pollers, by result', ['poller', 'is']);

/** Starts the pollers; they run in this process only while it is elected. */
export function startPollers(
  db: Db,
  pollers: readonly Poller[],
  watch: ConnectionCheck = DEFAULT_CHECK,
): { close(): Promise<void> } {
  const stopping = new AbortController();
  const running = runElection(db, pollers, stopping.signal, watch);
  return {
    async close() {
      stopping.abort();
      await running;
    },
  };
}

/**
 * Holds leadership as a session-level lock on one connection, so that it ends with the connection.
 */
async function runElection(
  db: Db,
  pollers: readonly Poller[],
  signal: AbortSignal,
  watch: ConnectionCheck,
): Promise<void> {
  while (!signal.aborted) {
    const client = await getPool(db)
      .connect()
      .catch(() => undefined);
    if (!client) {
      await pause(ELECTION_MS, signal);
      continue;
    }
    const term = new AbortController();
    const end = () => term.abort();
    client.on('error', end);
    signal.addEventListener('abort', end);
    try {
      if (await tryAcquireLeadership(client, watch.timeoutMs)) {
        await enableKeepalives(client, watch.timeoutMs);
        await Promise.all([
          checkConnection(client, watch, term),
          ...pollers.map((poller) => runPeriodically(db, poller, term.signal)),
        ]);
      }
    } catch (error) {
      log.warn('Poller lost its leader lock', { reason: (error as Error).message });
    } finally {
      client.removeListener('error', end);
      signal.removeEventListener('abort', end);
      // Closing the connection releases the leadership.
      client.release(true);
    }
    await pause(ELECTION_MS, signal);
  }
}

/**
 * Ends the term as soon as the server does not respond, because a silent network closes no
 * connection.
 */
async function checkConnection(
  client: PoolClient,
  watch: ConnectionCheck,
  term: AbortController,
): Promise<void> {
  while (!term.signal.aborted) {
    await pause(watch.intervalMs, term.signal);
    try {
      if (!term.signal.aborted) await assertConnectionAlive(client, watch.timeoutMs);
    } catch (error) {
      log.warn('Poller lost its leader lock', { reason: (error as Error).message });
      term.abort();
    }
  }
}

async function runPeriodically(db: Db, poller: Poller, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await poller.run(db, signal);
      runs.inc({ poller: poller.name, is: 'done' });
    } catch (error) {
      runs.inc({ poller: poller.name, is: 'failed' });
      log.error('Poller failed', { poller: poller.name, error });
    }
    await pause(poller.intervalMs, signal);
  }
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal, ref: false }).catch(() => {});
}
