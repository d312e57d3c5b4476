// Splits with a winner that takes over: a clear winner gets a share of 100, neither chance nor
// unequal waits decide, and a change restarts the count.
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type { WorkflowStep, WorkflowSplit } from '#areas/workflows/contract.ts';
import { decodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { type TestOwner, testServer } from '#testing/setup/server.ts';
import { addPeople } from '#testing/worlds/sending-helpers.ts';
import { EMAIL, workflowBuilder } from '#testing/worlds/workflow-builder.ts';
import { evaluateSplits } from './evaluate.ts';

const server = await testServer();
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const HALVES = [
  { path: 'A', share: 50 },
  { path: 'B', share: 50 },
];
let owner: TestOwner;
let kit: ReturnType<typeof workflowBuilder>;

beforeEach(async () => {
  owner = await server.owner();
  kit = workflowBuilder(server, owner);
  return () => clock.reset();
});

/** Creates a workflow that splits into two emails; `wait` delays the email of path B by a day. */
async function splitWorkflow(winnerBy: string, { wait = false, goal = false } = {}) {
  const start = await kit.group('Start');
  const tree = await kit.workflow({ triggerType: 'LIST_ADD', listId: start.id });
  const data = { kind: 'split', shares: HALVES, winner_by: winnerBy };
  const split = await tree.add(tree.trigger, 'CONDITION', data);
  const firstEmail = await tree.add(split, 'EMAIL', EMAIL, 'A');
  const below = wait
    ? await tree.add(split, 'delay', { delay_type: 'DAYS', amount: 1 }, 'B')
    : split;
  const second = await tree.add(below, 'EMAIL', EMAIL, wait ? 'TRUE' : 'B');
  await kit.write(firstEmail);
  await kit.write(second);
  if (goal) {
    const { id: operand } = await kit.group('Goal');
    const conditions = [{ type: 'tag', operator: 'have', operand }];
    await tree.set({ goal: { conditions, days: 2, ends: false } });
  }
  await tree.activate();
  return { ...tree, start, split, first: firstEmail, second };
}
type TestWorkflow = Awaited<ReturnType<typeof splitWorkflow>>;

/** Adds subscribers to the workflow; returns them by path. */
async function enter(
  { start }: TestWorkflow,
  count: number,
  domain = 'home.example',
): Promise<Map<string, number[]>> {
  const ids = await addPeople(server.db, owner.accountId, count, [domain]);
  await kit.join(start.number, ids);
  await kit.turns();
  const { rows } = await sql<{ path: string; id: number }>`
    select trail->1->>2 as path, subscriber_id as id from workflow_runs
    where account_id = ${owner.accountId} and subscriber_id = any(${ids}::bigint[])
    order by 2`.execute(server.db);
  return new Map(
    [...Map.groupBy(rows, (row) => row.path)].map(([path, people]) => [
      path,
      people.map((p) => p.id),
    ]),
  );
}

/** Records opens of the step's email by these subscribers, some minutes after now. */
async function recordOpens(step: string, ids: readonly number[], minutes = 1): Promise<void> {
  const at = new Date(clock.now().getTime() + minutes * MINUTE);
  await sql`
    insert into outcomes (account_id, subscriber_id, message_id, first_open_at, first_human_open_at)
    select ${owner.accountId}::bigint, p.id, m.id, ${at}::timestamptz, ${at}::timestamptz
    from unnest(${[...ids]}::bigint[]) p(id)
    join messages m on m.account_id = ${owner.accountId} and m.source_id = ${decodeId('step', step)}
    `.execute(server.db);
}

const splits = async (tree: TestWorkflow): Promise<WorkflowSplit[]> =>
  (await owner.get(`${tree.at}/splits`)).body.data;

const readShares = async (tree: TestWorkflow) => {
  const steps: WorkflowStep[] = await tree.steps();
  return steps.find((step) => step.id === tree.split)?.data.shares;
};

/**
 * Does the work at a later time and then resets the clock, so that the session does not expire for
 * later calls.
 */
async function runLater(ms: number, work: () => Promise<unknown>): Promise<void> {
  clock.advance(ms);
  await work();
  clock.reset();
}

const evaluate = (after = 20 * MINUTE) => runLater(after, () => evaluateSplits(server.db));

test('a new workflow version gives a clearly better path a share of 100', async () => {
  const tree = await splitWorkflow('opened');
  const paths = await enter(tree, 400);
  await recordOpens(tree.first, (paths.get('A') ?? []).slice(0, 30));
  await recordOpens(tree.second, (paths.get('B') ?? []).slice(0, 90));
  await evaluate();
  expect(await readShares(tree)).toEqual([
    { path: 'A', share: 0 },
    { path: 'B', share: 100 },
  ]);
  const [split] = await splits(tree);
  expect(split).toMatchObject({ winner: 'B', decided_at: expect.any(String) });
  expect(split?.paths).toEqual([
    { path: 'A', people: paths.get('A')?.length, acted: 30 },
    { path: 'B', people: paths.get('B')?.length, acted: 90 },
  ]);
  const versions = (await owner.get(`${tree.at}/versions`)).body.data;
  expect(versions[0]).toMatchObject({ author: null });
  // New subscribers take the path of the winner.
  expect((await enter(tree, 20, 'more.example')).get('B')).toHaveLength(20);
  // The decision is final until the owner changes the shares, which starts a new count.
  await evaluate(5 * DAY);
  expect((await splits(tree))[0]).toMatchObject({ winner: 'B' });
  await owner.patch(`${tree.at}/steps/${tree.split}/data`, {
    data: { kind: 'split', shares: HALVES, winner_by: 'opened' },
  });
  expect((await splits(tree))[0]).toMatchObject({ winner: null, paths: [] });
});

test('a small difference between paths does not change their shares', async () => {
  const tree = await splitWorkflow('opened');
  const paths = await enter(tree, 400);
  await recordOpens(tree.first, (paths.get('A') ?? []).slice(0, 40));
  await recordOpens(tree.second, (paths.get('B') ?? []).slice(0, 55));
  await evaluate();
  expect(await readShares(tree)).toEqual(HALVES);
  expect((await splits(tree))[0]).toMatchObject({ winner: null, evaluated_at: expect.any(String) });
});

test('a path that waits before its email is compared at the same age', async () => {
  const tree = await splitWorkflow('opened', { wait: true });
  const paths = await enter(tree, 400);
  const [a = [], b = []] = [paths.get('A'), paths.get('B')];
  // Identical content: 90 subscribers open the email within an hour, 30 more on the second day.
  await recordOpens(tree.first, a.slice(0, 90));
  await recordOpens(tree.first, a.slice(90, 120), 30 * 60);
  await evaluate();
  expect((await splits(tree))[0]).toMatchObject({ winner: null });
  await runLater(DAY + MINUTE, async () => {
    await kit.turns();
    await recordOpens(tree.second, b.slice(0, 90));
  });
  await evaluate(DAY + 20 * 60 * MINUTE);
  const [split] = await splits(tree);
  expect(split?.paths.map(({ acted }) => acted)).toEqual([90, 90]);
  expect(split?.winner).toBeNull();
});

test('a content change to an email restarts the count', async () => {
  const tree = await splitWorkflow('opened');
  const paths = await enter(tree, 400);
  await recordOpens(tree.second, (paths.get('B') ?? []).slice(0, 90));
  const [before] = await splits(tree);
  await kit.write(tree.first);
  await evaluate();
  const [after] = await splits(tree);
  expect(await readShares(tree)).toEqual(HALVES);
  expect(Date.parse(after?.counted_from ?? '')).toBeGreaterThan(
    Date.parse(before?.counted_from ?? ''),
  );
  // Runs from before the change do not count.
  await evaluate(40 * MINUTE);
  expect((await splits(tree))[0]?.paths.map(({ people }) => people)).toEqual([0, 0]);
});

test('a goal-based split is decided once the goal period has passed', async () => {
  const tree = await splitWorkflow('goal', { goal: true });
  const paths = await enter(tree, 400);
  const winners = (paths.get('A') ?? []).slice(0, 90);
  await sql`update workflow_runs set goal_at = ${clock.now()}
    where account_id = ${owner.accountId} and subscriber_id = any(${winners}::bigint[])`.execute(
    server.db,
  );
  await evaluate();
  expect((await splits(tree))[0]).toMatchObject({ winner: null });
  await evaluate(2 * DAY);
  expect((await splits(tree))[0]).toMatchObject({ winner: 'A' });
});

test('a draft is not evaluated, two concurrent evaluations decide once, and a removed split is not listed', async () => {
  const tree = await splitWorkflow('opened');
  const paths = await enter(tree, 400);
  await recordOpens(tree.second, (paths.get('B') ?? []).slice(0, 90));
  expect((await owner.patch(`${tree.at}/deactivate`)).status).toBe(200);
  await evaluate();
  expect(await readShares(tree)).toEqual(HALVES);
  await tree.activate();
  await runLater(21 * MINUTE, () =>
    Promise.all([evaluateSplits(server.db), evaluateSplits(server.db)]),
  );
  expect(await readShares(tree)).not.toEqual(HALVES);
  const versions = (await owner.get(`${tree.at}/versions`)).body.data;
  expect(versions.filter((version: { author: unknown }) => version.author === null)).toHaveLength(
    1,
  );
  const otherOwner = await server.owner();
  expect((await otherOwner.get(`${tree.at}/splits`)).status).toBe(404);
  await owner.delete(`${tree.at}/steps/${tree.split}`, {
    delete_all_below: false,
    condition_path: 'B',
  });
  expect(await splits(tree)).toEqual([]);
});

test('a split by opens is incomplete without an email on each path', async () => {
  const start = await kit.group('Start');
  const tree = await kit.workflow({ triggerType: 'LIST_ADD', listId: start.id });
  const data = { kind: 'split', shares: HALVES, winner_by: 'opened' };
  const split = await tree.add(tree.trigger, 'CONDITION', data);
  await tree.add(split, 'EMAIL', EMAIL, 'A');
  const readMissing = async () => (await tree.steps()).find((step) => step.id === split)?.missing;
  expect(await readMissing()).toEqual(['winner_by']);
  await tree.add(split, 'EMAIL', EMAIL, 'B');
  expect(await readMissing()).toEqual([]);
  const unknown = { data: { ...data, winner_by: 'revenue' } };
  expect((await owner.patch(`${tree.at}/steps/${split}/data`, unknown)).status).toBe(422);
});
