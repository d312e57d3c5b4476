// An owner can create an account with sample data: its screens are filled, and its removal leaves
// no rows.
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { upsertSubscriber } from '#areas/subscribers/server/index.ts';
import { decodeId, encodeId } from '#platform/ids.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { type TestClient, type TestServer, testServer } from '#testing/setup/server.ts';
import { seededChance, walkJourneys, type WalkStep } from './journeys.ts';
import { removeAccount } from './removal.sql.ts';
import { sampleFiller } from './sample.ts';

const API = '/client-api/api';
const SAMPLE = `${API}/sample_account`;
const SUBSCRIBERS = 240;
let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});

const sampleOf = async (owner: TestClient) => (await owner.get(SAMPLE)).body.data;
const accountOf = async (owner: TestClient) => (await owner.get(`${API}/users`)).body.data.account;

/** Fills the account as the job does but with fewer subscribers; returns its internal ID. */
async function fill(id: string, userId: number): Promise<number> {
  const accountId = decodeId('account', id) as number;
  const { fill: fillAccount } = sampleFiller('http://localhost', SUBSCRIBERS);
  await inTransaction(server.db, (tx) => fillAccount(tx, { accountId, userId }));
  return accountId;
}

/** Counts an account's rows by table, without empty tables. */
async function rowsOf(accountId: number): Promise<Record<string, number>> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id' and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`.execute(
    server.db,
  );
  const counts: Record<string, number> = {};
  for (const { name } of rows) {
    const { rows: found } = await sql<{ count: number }>`
      select count(*) as count from ${sql.table(name)} where account_id = ${accountId}`.execute(
      server.db,
    );
    if (Number(found[0]?.count) > 0) counts[name] = Number(found[0]?.count);
  }
  return counts;
}

test('a new owner fills, explores and removes an account with sample data', async () => {
  const owner = await server.owner();
  expect(await sampleOf(owner)).toEqual({ id: null, state: 'none' });
  const { data: created } = (await owner.post(SAMPLE, {})).body;
  expect(created.state).toBe('preparing');
  expect((await owner.post(SAMPLE, {})).body.data.id).toBe(created.id);
  const accountId = await fill(created.id, owner.userId);
  expect(await sampleOf(owner)).toEqual({ id: created.id, state: 'ready' });

  expect((await owner.post(`${API}/users/accounts`, { account: created.id })).status).toBe(200);
  expect(await accountOf(owner)).toMatchObject({ is_sample: true, title: 'Harbour Tea House' });
  await expectFilled(owner);
  await expectRevenue(accountId);

  // The removal leaves the owner's other account unchanged.
  expect((await owner.delete(SAMPLE)).status).toBe(200);
  const account = await accountOf(owner);
  expect(account).toMatchObject({ is_sample: false, subscriber_count: 0 });
  expect(await sampleOf(owner)).toEqual({ id: null, state: 'none' });
  expect((await owner.post(`${API}/users/accounts`, { account: created.id })).status).toBe(404);
  const remainingRows = await rowsOf(decodeId('account', account.id) as number);
  await server.runJobs();
  expect(await rowsOf(accountId)).toEqual({});
  expect(await rowsOf(decodeId('account', account.id) as number)).toEqual(remainingRows);
});

async function expectFilled(owner: TestClient): Promise<void> {
  const listOf = async (path: string) => (await owner.get(`${API}/${path}`)).body.data;
  const sms = (await listOf('sms/campaign?status=SENT&as_list=true'))[0];
  expect(sms.figures).toMatchObject({ clicks: expect.any(Number) });
  expect(sms.text).toMatch(/https:/);
  const forms = await listOf('forms');
  expect(forms).toHaveLength(3);
  expect(
    forms.every(
      (form: { views: number; is_active: boolean }) => form.is_active && form.views > 100,
    ),
  ).toBe(true);
  const workflows = await listOf('workflows');
  expect(workflows).toHaveLength(3);
  for (const { status, people, figures } of workflows) {
    expect(status).toBe('ACTIVE');
    expect(people.entered).toBe(people.inside + people.ended);
    expect(figures.sent).toBeGreaterThan(0);
  }
  expect(workflows.some(({ people }: { people: { inside: number } }) => people.inside > 0)).toBe(
    true,
  );
  const transactional = await listOf('transactional');
  expect(transactional.map(({ title }: { title: string }) => title).sort()).toEqual([
    'Order confirmation',
    'Shipping notice',
  ]);
  expect(transactional[0].figures.sent).toBeGreaterThan(20);
  expect((await listOf('custom_events')).length).toBe(2);
  const earnings = await listOf('accounts/dashboard_earned');
  expect(earnings).toMatchObject({ has_store: true });
}

/** Attributed revenue adds up to the orders, and no order came before its click. */
async function expectRevenue(accountId: number): Promise<void> {
  const { rows } = await sql<{ orders: number; earned: number; kept: number; late: number }>`
    select count(*) filter (where a.entry = 'order') as orders,
      count(*) filter (where a.entry = 'order' and a.message_id is not null) as earned,
      sum(a.amount) as kept,
      count(*) filter (where a.touch_at > a.at and a.entry = 'order') as late
    from attributions a where a.account_id = ${accountId}`.execute(server.db);
  const { rows: orders } = await sql<{ count: number; kept: number }>`
    select count(*) as count, sum(total) filter (where cancelled_at is null and refunded_at is null) as kept
    from orders where account_id = ${accountId}`.execute(server.db);
  expect(rows[0]).toMatchObject({ orders: orders[0]?.count, late: 0 });
  expect(Number(rows[0]?.earned)).toBeGreaterThan(20);
  expect(Number(rows[0]?.kept)).toBeCloseTo(Number(orders[0]?.kept), 2);
}

test('removing an account waits for subscribers being added, and later additions fail', async () => {
  const { accountId } = await server.owner();
  const add = (email: string, onAdd = () => {}, end = Promise.resolve()) =>
    inTransaction(server.db, async (tx) => {
      await upsertSubscriber(tx, accountId, { email, source: 'api', cause: { origin: 'api' } });
      onAdd();
      await end;
    });
  const [added, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const earlierAddition = add('earlier@home.example', added.resolve, end.promise);
  await added.promise;
  const removal = inTransaction(server.db, (tx) => removeAccount(tx, accountId));
  const isRemoved = await Promise.race([removal.then(() => true), delay(200).then(() => false)]);
  expect(isRemoved).toBe(false);
  end.resolve();
  await Promise.all([earlierAddition, removal]);
  await expect(add('later@home.example')).rejects.toThrow();
  expect(await rowsOf(accountId)).toEqual({});
});

test('the sample data of a Persian-speaking owner is in Persian and right-to-left', async () => {
  const owner = await server.owner();
  await owner.patch(`${API}/users/${encodeId('user', owner.userId)}`, { language: 'fas' });
  const { data: created } = (await owner.post(SAMPLE, {})).body;
  const accountId = await fill(created.id, owner.userId);
  await owner.post(`${API}/users/accounts`, { account: created.id });
  const accountRows = (table: 'groups' | 'segments' | 'workflows' | 'forms' | 'sms_campaigns') =>
    server.db.selectFrom(table).select('title').where('account_id', '=', accountId).execute();
  for (const table of ['groups', 'segments', 'workflows', 'forms', 'sms_campaigns'] as const) {
    const titles = (await accountRows(table)).map(({ title }) => title);
    expect(titles.filter((title) => !/^[\P{Script=Latin}]+$/u.test(title))).toEqual([]);
  }
  const { rows } = await sql<{ html: string; subject: string }>`
    select frozen->'source'->>'html' as html, frozen->'source'->>'subject' as subject
    from messages where account_id = ${accountId} and kind = 'campaign' order by id`.execute(
    server.db,
  );
  expect(rows[0]?.html).toContain('dir="rtl"');
  expect(rows.filter(({ subject }) => /[a-z]/i.test(subject.replaceAll(/{{.*}}/g, '')))).toEqual(
    [],
  );
  // Persian letters need UCS-2, so an SMS of more than 70 characters has several parts.
  const { rows: parts } = await sql<{ most: number }>`
    select max(parts) as most from sms_results where account_id = ${accountId}`.execute(server.db);
  expect(parts[0]?.most).toBeGreaterThan(1);
  await owner.delete(SAMPLE);
});

test('a user can neither open nor remove the sample account of another user', async () => {
  const owner = await server.owner();
  const outsider = await server.owner();
  const { id } = (await owner.post(SAMPLE, {})).body.data;
  expect((await outsider.delete(SAMPLE)).status).toBe(404);
  expect((await outsider.post(`${API}/users/accounts`, { account: id })).status).toBe(404);
  expect((await sampleOf(owner)).id).toBe(id);
});

test('a simulated subscriber waits at a delay that has not passed, and the delay’s count includes all subscribers', () => {
  const lastStep = step(3, 'EMAIL', {}, []);
  const delay = step(2, 'delay', { delay_type: 'DAYS', amount: 3 }, [['TRUE', lastStep]]);
  const firstStep = step(1, 'EMAIL', {}, [['TRUE', delay]]);
  const trigger = step(0, 'trigger', {}, [['TRUE', firstStep]]);
  const now = new Date('2026-05-10T00:00:00Z');
  const entrants = [
    { id: 1, subject: 0, enteredAt: new Date('2026-05-01T00:00:00Z') },
    { id: 2, subject: 0, enteredAt: new Date('2026-05-08T00:00:00Z') },
  ];
  const { journeys, emails, counts } = walkJourneys(trigger, entrants, now);
  expect(journeys.map(({ stepId, endedAt }) => [stepId, endedAt?.toISOString()])).toEqual([
    [3, '2026-05-04T00:00:00.000Z'],
    [2, undefined],
  ]);
  expect(journeys[1]?.wakeAt?.toISOString()).toBe('2026-05-11T00:00:00.000Z');
  expect(emails.map(({ stepId }) => stepId)).toEqual([1, 3, 1]);
  expect(counts).toContainEqual({ stepId: 2, outcome: 'entered', count: 2 });
  expect(counts).toContainEqual({ stepId: 2, outcome: 'passed', count: 1 });
});

test('seeded random numbers of many subscribers have a mean of one half', () => {
  const chances = Array.from({ length: 2_000 }, (_, id) => seededChance(id, 5));
  expect(chances.reduce((sum, chance) => sum + chance, 0) / chances.length).toBeCloseTo(0.5, 1);
});

function step(
  id: number,
  type: string,
  data: Record<string, unknown>,
  next: [string, WalkStep][],
): WalkStep {
  return { id, key: `s${id}`, type, data, messageId: id, next: new Map(next) };
}
