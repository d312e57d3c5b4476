// Allowances in the database: a relay loads its learned rates in one query, rows of removed relays
// and long unchanged rows are deleted, and capacity that was drawn but not used is returned.
import { type RootOperationNode, type KyselyPlugin, RawNode, sql } from 'kysely';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import type { Db } from '#platform/server/database/database.ts';
import { allowPrivateAddresses } from '#platform/server/outgoing/outgoing-address.ts';
import { openSmtpRelay, parseSmtpUrl } from '#providers/smtp/index.ts';
import { QueueSource } from '#testing/servers/queue-source.ts';
import { relaySettings } from '#testing/worlds/relay-settings.ts';
import { testServer } from '#testing/setup/server.ts';
import type { AllowanceState, RateLimits } from './allowance.ts';
import { QuotaLease } from './quota-lease.ts';
import { openPool, soleRelay } from '../sender/index.ts';
import { findLearnedRates } from './allowances.sql.ts';
import { allowancesPoller } from './allowances.ts';
import type { RelayConnection } from './provider.ts';

const HOUR_MS = 3_600_000;
const server = await testServer();
const { db } = server;
let pool: RelayConnection | undefined;

afterEach(async () => {
  clock.reset();
  vi.restoreAllMocks();
  await pool?.close(100);
  pool = undefined;
  await sql`delete from relay_allowances`.execute(db);
});

/** Returns the state of an allowance after a refusal. */
function refusedState(ageMs: number): AllowanceState {
  const at = clock.now().getTime() - ageMs;
  return { credit: 0, at, learnt: { rate: 10, cutAt: at, forgetAbove: 80 } };
}

async function insertStates(
  key: string,
  count: number,
  ageMs: number,
  state = refusedState(ageMs),
) {
  const at = new Date(clock.now().getTime() - ageMs);
  await sql`insert into relay_allowances (key, state, modified_at)
    select ${key} || n, ${JSON.stringify(state)}::jsonb, ${at}
    from generate_series(1, ${count}::int) n`.execute(db);
}

/** Returns a database that reports each statement on the allowances before it runs. */
function observedDb(onReceived: (text: string) => void): Db {
  const plugin: KyselyPlugin = {
    transformQuery({ node }: { node: RootOperationNode }) {
      const text = RawNode.is(node) ? node.sqlFragments.join('$') : '';
      if (text.includes('relay_allowances')) onReceived(text.trim());
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  };
  return db.withPlugin(plugin);
}

function openRelay(onDb: Db, key: string): RelayConnection {
  const nowhere = parseSmtpUrl('smtp://127.0.0.1:9?tls=none');
  const sole = soleRelay(key, (source) => openSmtpRelay(nowhere, source));
  pool = openPool(onDb, [sole])(new QueueSource());
  return pool;
}

test('a thousand expired rates cost one query per poll and no writes', async () => {
  await insertStates('learnt/', 1_000, 20 * HOUR_MS);
  const statements: string[] = [];
  openRelay(
    observedDb((text) => statements.push(text.split(' ')[0] ?? '')),
    'learnt',
  );
  await expect.poll(() => statements.length).toBe(1);
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + 10_000);
  await expect.poll(() => statements.length).toBeGreaterThan(1);
  // The results of the second poll are processed within this time, which must cause no statement.
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(statements).toEqual(['select', 'select']);
});

test('a rate that another process learned applies only to its relay and mailbox provider', async () => {
  // Keys end with the number of a mailbox provider; 1 is Gmail.
  await insertStates('taught/', 1, 0);
  await insertStates('taught2/', 1, 0);
  const taught = openRelay(db, 'taught');
  await expect.poll(() => taught.capacityFor?.(1)).toBeLessThan(20);
  expect(taught.capacityFor?.(2)).toBe(Number.POSITIVE_INFINITY);
  const learnedRates = await findLearnedRates(db, 'taught', new Date(0));
  expect(learnedRates.map(({ key }) => key)).toEqual(['taught/1']);
});

test('rows unchanged for 49 hours are deleted, and a quota changed 25 hours ago is retained', async () => {
  await insertStates('swept/', 5, 49 * HOUR_MS);
  const slots = { credit: 1, at: 0, slots: [[1, 5]] } as AllowanceState;
  await insertStates('quota/', 1, 25 * HOUR_MS, slots);
  await allowancesPoller.run(db, new AbortController().signal);
  const { rows } = await sql<{ key: string }>`select key from relay_allowances`.execute(db);
  expect(rows).toEqual([{ key: 'quota/1' }]);
});

test('removing a relay deletes only the rows of that relay', async () => {
  allowPrivateAddresses(true);
  const owner = await server.owner();
  const body = relaySettings(25, { tls: 'required', connections: 1 });
  const response = await owner.post('/client-api/api/relays', body);
  expect(response.status, response.text).toBe(200);
  const { rows: relays } = await sql<{ id: number }>`select id from relays
    where account_id = ${owner.accountId}`.execute(db);
  const key = `account/${owner.accountId}/${relays[0]?.id}`;
  // The keys of relay 7 are `…/7`, `…/7/1` and `…/7/2`; `…/71` belongs to relay 71.
  await insertStates(`${key}/`, 2, 0);
  await insertStates(key, 1, 0);
  await sql`insert into relay_allowances values (${key}, '{}', now())`.execute(db);
  await owner.delete(`/client-api/api/relays/${response.body.data.id}`);
  const { rows } = await sql<{ key: string }>`select key from relay_allowances`.execute(db);
  expect(rows).toEqual([{ key: `${key}1` }]);
});

test('capacity drawn in a retried transaction counts once', async () => {
  let writes = 0;
  const failing = observedDb((text) => {
    if (!/do update|^update/.test(text) || writes++ > 0) return;
    throw Object.assign(new Error('could not serialize access'), { code: '40001' });
  });
  const lease = new QuotaLease(
    failing,
    'retried',
    { perHour: 30 },
    { onCapacity() {}, countDemand: () => 10 },
  );
  await expect.poll(() => lease.getAvailable()).toBeGreaterThan(0);
  expect(lease.getAvailable()).toBe(10);
  expect(writes).toBeGreaterThan(1);
  await lease.close();
});

/** Takes units until the quota is used up. Returns how many were taken. */
async function takeAll(lease: QuotaLease): Promise<number> {
  let takenCount = 0;
  await expect
    .poll(() => {
      while (lease.take()) takenCount++;
      return lease.quotaWaitMs;
    })
    .toBeGreaterThan(0);
  return takenCount;
}

/** Opens a lease and waits until it has drawn the given demand. */
async function leaseOf(key: string, demand: number, limits: RateLimits): Promise<QuotaLease> {
  const lease = new QuotaLease(db, key, limits, { onCapacity() {}, countDemand: () => demand });
  onTestFinished(() => lease.close());
  await expect.poll(() => lease.getAvailable()).toBe(demand);
  return lease;
}

test('capacity drawn two hours ago does not add to a new draw', async () => {
  const lease = await leaseOf('old', 20, { perHour: 30 });
  for (let i = 0; i < 5; i++) lease.take();
  clock.advance(2 * HOUR_MS);
  expect(await takeAll(lease)).toBe(30);
});

test('unused capacity is returned to the quotas, so that another lease may draw it', async () => {
  const limits = { perHour: 30, perDay: 100 };
  const idle = await leaseOf('unused', 20, limits);
  const closedLease = await leaseOf('unused', 8, limits);
  for (let i = 0; i < 5; i++) expect(closedLease.take()).toBe(true);
  await closedLease.close();
  const readUsedCount = async () => {
    const { rows } = await sql<{ state: AllowanceState }>`select state from relay_allowances
      where key = 'unused'`.execute(db);
    return rows[0]?.state.slots?.reduce((total, [, count]) => total + count, 0);
  };
  expect(await readUsedCount()).toBe(25);
  // The idle lease returns its unused capacity by its own timer, without any call.
  clock.advance(10_000);
  await expect.poll(readUsedCount, { timeout: 9_000 }).toBe(5);
  expect(await takeAll(idle)).toBe(25);
});

test('a late return does not recreate the row of a removed relay', async () => {
  const lease = await leaseOf('gone', 20, { perHour: 30 });
  await sql`delete from relay_allowances`.execute(db);
  await lease.close();
  const { rows } = await sql`select key from relay_allowances`.execute(db);
  expect(rows).toEqual([]);
});
