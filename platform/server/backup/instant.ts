// The snapshot a backup reads. A transaction of a separate process holds it, so that it survives a
// killed backup and a resumed one reads the same data.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { readTables } from '../snapshot.sql.ts';
import * as store from './parts.sql.ts';

/** How long the snapshot of an interrupted backup is held. PostgreSQL vacuums nothing meanwhile. */
const HELD_MS = 30 * 60_000;
const LOOK_MS = 1_000;

export type Instant = { instant: string; backend: number; name: string };

/** The first message to the holder process, and its reply. */
export type HoldOrder = { databaseUrl: string; name: string; from?: string; heldMs?: number };
export type HoldReport = { held: { instant: string; backend: number } } | { failed: string };

export async function connect(url: string, name = 'backup'): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: name,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
  });
  client.on('error', () => {});
  await client.connect();
  return client;
}

/**
 * Runs in the holder process: until the backup reports completion, or for a while after the
 * backup's process ended. In that time it also yields to sessions waiting for its tables: a
 * migration, and every session queued behind it.
 */
export async function holdInstant(
  { databaseUrl, name, from, heldMs = HELD_MS }: HoldOrder,
  report: (words: HoldReport) => void,
  told: { isDone: Promise<unknown>; isAlone: Promise<unknown> },
): Promise<void> {
  const client = await connect(databaseUrl, name);
  const hasEnded = once(client, 'end');
  if (!(await store.beginAt(client, from))) return report({ failed: 'gone' });
  const tables = await readTables(client);
  // A table rewrite (VACUUM FULL) would move the rows to other pages.
  await store.holdTables(
    client,
    tables.map((table) => table.name),
  );
  report({ held: await store.exportInstant(client) });
  const later = told.isAlone.then(() => untilNeeded(databaseUrl, client, heldMs));
  await Promise.race([told.isDone, hasEnded, later]);
  await client.end().catch(() => {});
}

async function untilNeeded(databaseUrl: string, held: pg.Client, heldMs: number): Promise<void> {
  const until = performance.now() + heldMs;
  const looking = await connect(databaseUrl);
  try {
    const backend = await store.backendOf(held);
    while (performance.now() < until) {
      if (await store.isInTheWay(looking, backend)) return;
      await sleep(Math.min(LOOK_MS, heldMs));
    }
  } finally {
    await looking.end();
  }
}

/**
 * Has a separate process hold a snapshot: a new one, or the one another process holds. Undefined if
 * no process holds it any more.
 */
export async function askToHold(
  child: ChildProcess,
  order: HoldOrder,
): Promise<(Instant & { end(): Promise<void> }) | undefined> {
  child.send(order);
  const [report] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [
    HoldReport | number | null,
  ];
  if (report === null || typeof report === 'number') throw new Error('The holder did not start');
  if ('failed' in report) {
    if (report.failed === 'gone') return undefined;
    throw new Error(report.failed);
  }
  const ended = once(child, 'exit');
  // The holder outlives a killed parent and does not keep it from exiting.
  child.unref();
  child.channel?.unref();
  return {
    ...report.held,
    name: order.name,
    async end() {
      if (!child.connected) return;
      child.ref();
      child.send('done');
      await ended;
    },
  };
}
