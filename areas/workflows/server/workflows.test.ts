// Workflows over HTTP: building a tree, refusals, and subscribers going through it with a simulated
// clock.
import { beforeEach, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { addPeople } from '#testing/worlds/sending-helpers.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { type TestOwner, testServer } from '#testing/setup/server.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';
import { EMAIL, workflowBuilder } from '#testing/worlds/workflow-builder.ts';

const server = await testServer();
let owner: TestOwner;
let relay: TestSmtpServer;
let kit: ReturnType<typeof workflowBuilder>;

beforeEach(async () => {
  owner = await server.owner();
  kit = workflowBuilder(server, owner);
  relay = await startSmtpServer();
  return async () => {
    clock.reset();
    await relay.close();
  };
});

const DAY = 86_400_000;
const listRuns = async (at: string) => (await owner.get(`${at}/people`)).body.data;

test('each subscriber enters, waits, gets an email, takes a branch and joins a group exactly once', async () => {
  const [start, yes, no] = [
    await kit.group('Start'),
    await kit.group('Yes'),
    await kit.group('No'),
  ];
  const tree = await kit.workflow({ triggerType: 'LIST_ADD', listId: start.id });
  const wait = await tree.add(tree.trigger, 'delay', { delay_type: 'HOURS', amount: 3 });
  const emailStep = await tree.add(wait, 'EMAIL', EMAIL);
  const laterDelay = await tree.add(emailStep, 'delay', { delay_type: 'HOURS', amount: 6 });
  const conditionStep = await tree.add(laterDelay, 'CONDITION', {
    kind: 'segment',
    conditions: [{ type: 'email', operator: 'includes', operand: 'gmail' }],
  });
  await tree.add(conditionStep, 'ACTION', { action: 'COPY', group: yes.id });
  await tree.add(conditionStep, 'ACTION', { action: 'COPY', group: no.id }, 'FALSE');

  const earlyActivation = await owner.patch(`${tree.at}/activate`);
  expect(earlyActivation.status).toBe(422);
  expect(earlyActivation.body.missing).toEqual([{ code: 'step_incomplete', step_id: emailStep }]);
  await kit.write(emailStep);
  expect((await owner.patch(`${tree.at}/activate`)).body.data.status).toBe('ACTIVE');

  const ids = await addPeople(server.db, owner.accountId, 6);
  await kit.join(start.number, ids.slice(0, 5));
  await kit.join(start.number, ids.slice(5), 'bulk');
  await kit.turns();
  expect((await listRuns(tree.at)).map((run: { step_id: string }) => run.step_id)).toEqual(
    Array(5).fill(wait),
  );
  await kit.turns();
  startTestSender(server.db, relay.url);
  clock.advance(DAY / 8 + 1000);
  await Promise.all([kit.turns(), kit.turns()]);
  await relay.waitForMessages(6);
  clock.advance(DAY / 4 + 1000);
  await kit.turns();
  // The clock is reset because the owner's session has expired at this time.
  clock.reset();
  const finishedRuns = await listRuns(tree.at);
  expect(finishedRuns.map((run: { outcome: string }) => run.outcome)).toEqual(
    Array(5).fill('completed'),
  );
  // Excludes notifications to the owner.
  const recipients = relay.accepted
    .flatMap((message) => message.to)
    .filter((to) => to.startsWith('person'));
  expect(recipients.toSorted()).toEqual(
    [1, 2, 3, 4, 5].map((n) => `person${n}@${['home.example', 'gmail.com', 'outlook.com'][n % 3]}`),
  );
  expect(await kit.members(yes.number)).toEqual([ids[0], ids[3]]);
  expect(await kit.members(no.number)).toEqual([ids[1], ids[2], ids[4]]);
  // The sender records a copy after the relay has accepted it.
  await expect
    .poll(async () => (await owner.get(`${tree.at}/average_report`)).body.data)
    .toMatchObject({ sent: 5, opened: 0, open_rate: 0 });
  const shownWorkflow = (await owner.get(tree.at)).body.data;
  expect(shownWorkflow.people).toEqual({ entered: 5, inside: 0, ended: 5 });
});

test('inserted, moved, removed and copied steps keep one tree, and invalid changes are refused', async () => {
  const tree = await kit.workflow({ triggerType: 'API' });
  const end = await tree.add(tree.trigger, 'ACTION', { action: 'END' });
  const conditionStep = await tree.add(tree.trigger, 'CONDITION', {
    kind: 'segment',
    conditions: [],
  });
  const shape = async () =>
    (await tree.steps()).map(({ id, parent_id, condition_path }) => [
      id,
      parent_id,
      condition_path,
    ]);
  expect(await shape()).toEqual([
    [tree.trigger, null, 'TRUE'],
    [conditionStep, tree.trigger, 'TRUE'],
    [end, conditionStep, 'TRUE'],
  ]);
  const below = { parent_id: end, condition_path: 'TRUE' };
  expect((await owner.patch(`${tree.at}/steps/${conditionStep}`, below)).status).toBe(422);
  const newPosition = { parent_id: conditionStep, condition_path: 'FALSE' };
  expect((await owner.patch(`${tree.at}/steps/${end}`, newPosition)).status).toBe(200);
  const copy = (await owner.post(`${tree.at}/steps/${end}/duplicate`)).body.data.id;
  expect((await shape()).slice(2)).toEqual([
    [end, conditionStep, 'FALSE'],
    [copy, end, 'TRUE'],
  ]);
  const path = { condition_path: 'FALSE' };
  expect((await owner.delete(`${tree.at}/steps/${conditionStep}`, path)).status).toBe(200);
  expect((await shape()).slice(1)).toEqual([
    [end, tree.trigger, 'TRUE'],
    [copy, end, 'TRUE'],
  ]);
  expect((await owner.delete(`${tree.at}/steps/${end}`, { delete_all_below: true })).status).toBe(
    200,
  );
  expect(await shape()).toHaveLength(1);
  expect((await owner.delete(`${tree.at}/steps/${tree.trigger}`, {})).status).toBe(422);
  const versions = (await owner.get(`${tree.at}/versions`)).body.data;
  expect(versions.length).toBeGreaterThan(5);
  const { user } = (await owner.get('/client-api/api/users')).body.data;
  expect(new Set(versions.map((version: { author: string }) => version.author))).toEqual(
    new Set([user.email]),
  );
  const otherOwner = await server.owner();
  for (const url of [tree.at, `${tree.at}/steps`, `${tree.at}/people`, `${tree.at}/average_report`])
    expect((await otherOwner.get(url)).status).toBe(404);
  const nonsense = { data: { action: 'SHOUT' } };
  const step = (await owner.post(`${tree.at}/steps`, { parent_id: tree.trigger, type: 'ACTION' }))
    .body.data.id;
  expect((await owner.patch(`${tree.at}/steps/${step}/data`, nonsense)).status).toBe(422);
});

test('a draft does not move subscribers, runs at a removed step continue with the next step, and a subscriber has one pass at a time', async () => {
  const [start, out] = [await kit.group('In'), await kit.group('Out')];
  const tree = await kit.workflow({ triggerType: 'LIST_ADD', listId: start.id });
  const wait = await tree.add(tree.trigger, 'delay', { delay_type: 'HOURS', amount: 1 });
  await tree.add(wait, 'ACTION', { action: 'MOVE', group: out.id, from_group: start.id });
  await owner.patch(`${tree.at}/activate`);
  const [first, second] = (await addPeople(server.db, owner.accountId, 2)) as [number, number];
  await Promise.all([kit.join(start.number, [first]), kit.join(start.number, [first])]);
  await kit.turns();
  await owner.patch(`${tree.at}/deactivate`);
  clock.advance(DAY / 12);
  await kit.join(start.number, [second]);
  await kit.turns();
  expect(await kit.members(out.number)).toEqual([]);
  clock.reset();
  expect((await owner.delete(`${tree.at}/steps/${wait}`, {})).status).toBe(200);
  await owner.patch(`${tree.at}/activate`);
  clock.advance(DAY / 12);
  await kit.turns();
  clock.reset();
  expect(await kit.members(out.number)).toEqual([first]);
  expect(await kit.members(start.number)).toEqual([second]);
  const allRuns = await listRuns(tree.at);
  expect(allRuns).toHaveLength(1);
  expect(allRuns[0]).toMatchObject({ pass: 1, outcome: 'completed' });
});
