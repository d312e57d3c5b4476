// Concurrency: workflows are activated, deactivated and edited, and facts arrive, while several
// engines take turns. No subscriber is lost or messaged twice, and no run moves after a deactivation
// has returned.
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { addPeople } from '#testing/worlds/sending-helpers.ts';
import { type TestOwner, testServer } from '#testing/setup/server.ts';
import { EMAIL, workflowBuilder } from '#testing/worlds/workflow-builder.ts';

const server = await testServer();
const HOUR = 3_600_000;
let owner: TestOwner;
let kit: ReturnType<typeof workflowBuilder>;

beforeEach(async () => {
  owner = await server.owner();
  kit = workflowBuilder(server, owner);
  return () => clock.reset();
});

async function createEmailWorkflow() {
  const start = await kit.group('Start');
  const tree = await kit.workflow({ triggerType: 'LIST_ADD', listId: start.id });
  const wait = await tree.add(tree.trigger, 'delay', { delay_type: 'HOURS', amount: 1 });
  const emailStep = await tree.add(wait, 'EMAIL', EMAIL);
  await kit.write(emailStep);
  const lastStep = await tree.add(emailStep, 'delay', { delay_type: 'HOURS', amount: 1 });
  return { ...tree, start, wait, mail: emailStep, last: lastStep };
}

test('concurrent activations and deactivations end in one of the two states, and a deactivated workflow does not move subscribers', async () => {
  const tree = await createEmailWorkflow();
  await tree.activate();
  const ids = await addPeople(server.db, owner.accountId, 20);
  await kit.join(tree.start.number, ids);
  await kit.turns();
  for (let attempt = 0; attempt < 3; attempt++) {
    const actions = Array.from({ length: 6 }, (_, n) =>
      owner.patch(`${tree.at}/${n % 2 === 0 ? 'activate' : 'deactivate'}`),
    );
    const responses = await Promise.all([...actions, kit.turns().then(() => ({ status: 200 }))]);
    expect(responses.map((response) => response.status)).toEqual(Array(7).fill(200));
    const { status } = (await owner.get(tree.at)).body.data;
    const { rows } = await sql<{ count: number }>`select count(*) as count from workflow_listeners
      where account_id = ${owner.accountId}`.execute(server.db);
    expect(rows[0]?.count).toBe(status === 'ACTIVE' ? 1 : 0);
  }
  expect((await owner.patch(`${tree.at}/deactivate`)).status).toBe(200);
  clock.advance(2 * HOUR);
  await kit.turns();
  clock.reset();
  expect((await tree.people()).map((run) => run.step_id)).toEqual(Array(20).fill(tree.wait));
});

test('each subscriber gets one run and at most one email despite facts and edits during concurrent turns', async () => {
  const tree = await createEmailWorkflow();
  await tree.activate();
  const ids = await addPeople(server.db, owner.accountId, 60);
  const joins = Array.from({ length: 12 }, (_, n) =>
    kit.join(tree.start.number, ids.slice(n * 5, n * 5 + 5)),
  );
  const repeatedJoins = ids.map((id) => kit.join(tree.start.number, [id]));
  const data = { delay_type: 'HOURS', amount: 1, title: 'An hour' };
  await Promise.all([
    ...[...joins, ...repeatedJoins, kit.turns(), kit.turns(), kit.turns()],
    owner.patch(`${tree.at}/steps/${tree.wait}/data`, { data }),
    owner.post(`${tree.at}/steps/${tree.last}/duplicate`),
  ]);
  await kit.turns();
  clock.advance(HOUR + 1000);
  const move = { parent_id: tree.trigger, condition_path: 'TRUE' };
  clock.reset();
  // Subscribers at the wait remain there, and the email is now above the wait.
  expect((await owner.patch(`${tree.at}/steps/${tree.mail}`, move)).status).toBe(200);
  expect((await owner.delete(`${tree.at}/steps/${tree.wait}`, {})).status).toBe(200);
  clock.advance(HOUR + 1000);
  await Promise.all([kit.turns(), kit.turns(), kit.turns()]);
  clock.advance(3 * HOUR);
  await Promise.all([kit.turns(), kit.turns()]);
  clock.advance(3 * HOUR);
  await kit.turns();
  clock.reset();
  const { rows } = await sql<{ people: number; runs: number; ended: number; mails: number }>`
    select count(distinct subscriber_id) as people, count(*) as runs, count(ended_at) as ended,
      (select count(*) from recipients where account_id = ${owner.accountId}) as mails
    from workflow_runs where account_id = ${owner.accountId}`.execute(server.db);
  expect(rows[0]).toMatchObject({ people: 60, runs: 60, ended: 60 });
  expect(rows[0]?.mails).toBeLessThanOrEqual(60);
  const { rows: unbalanced } = await sql<{ off: number }>`
    select sum(case when outcome = 'entered' then people else -people end)::bigint as off
    from workflow_step_counts where account_id = ${owner.accountId} group by step_id
    having sum(case when outcome = 'entered' then people else -people end) <> 0`.execute(server.db);
  expect(unbalanced).toEqual([]);
});
