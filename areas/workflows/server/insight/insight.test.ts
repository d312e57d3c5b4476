// Dry runs, forecasts, reports, versions, edits with subscribers inside, and late messages of
// workflows.
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { fakeSmsProvider, startSmsSender } from '#testing/servers/fake-sms-provider.ts';
import { addPeople } from '#testing/worlds/sending-helpers.ts';
import { daytimeNumbers } from '#testing/worlds/sms-people.ts';
import { addSmsSender } from '#testing/worlds/sms-sender.ts';
import { type TestOwner, testServer } from '#testing/setup/server.ts';
import { EMAIL, workflowBuilder } from '#testing/worlds/workflow-builder.ts';

const server = await testServer();
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
let owner: TestOwner;
let kit: ReturnType<typeof workflowBuilder>;

beforeEach(async () => {
  owner = await server.owner();
  kit = workflowBuilder(server, owner);
  return () => clock.reset();
});

/** Advances the clock, then runs all due runs. */
async function advance(ms: number): Promise<void> {
  clock.advance(ms);
  await kit.turns();
}

/**
 * Creates a workflow for new members of a group: a delay of a day, an email, a delay of two days,
 * and the condition that the email was opened. The path TRUE adds the subscriber to a group, and
 * the path FALSE ends the run.
 */
async function createWelcome() {
  const [start, yes] = [await kit.group('Start'), await kit.group('Yes')];
  const tree = await kit.workflow({ triggerType: 'LIST_ADD', listId: start.id });
  const wait = await tree.add(tree.trigger, 'delay', { delay_type: 'DAYS', amount: 1 });
  const emailStep = await tree.add(wait, 'EMAIL', EMAIL);
  await kit.write(emailStep);
  const laterDelay = await tree.add(emailStep, 'delay', { delay_type: 'DAYS', amount: 2 });
  const conditionStep = await tree.add(laterDelay, 'CONDITION', {
    ...{ kind: 'activity', activity: 'opened', step_id: emailStep },
  });
  const copy = await tree.add(conditionStep, 'ACTION', { action: 'COPY', group: yes.id });
  await tree.add(conditionStep, 'ACTION', { action: 'END' }, 'FALSE');
  return {
    ...tree,
    start,
    yes,
    wait,
    mail: emailStep,
    later: laterDelay,
    condition: conditionStep,
    copy,
  };
}

test('a dry run simulates a subscriber’s path over several days and stores nothing', async () => {
  const tree = await createWelcome();
  const [id] = await addPeople(server.db, owner.accountId, 1);
  const subscriber = encodeId('subscriber', id as number);
  const run = async (body: object) => {
    const trialResponse = await owner.post(`${tree.at}/dry_run`, body);
    expect(trialResponse.status, trialResponse.text).toBe(200);
    return trialResponse.body.data;
  };
  const declinedRun = await run({ subscriber });
  expect(declinedRun.steps.map((step: { note: string }) => step.note)).toEqual([
    ...['', '', 'sent', '', 'FALSE', 'action_end'],
  ]);
  expect(declinedRun.outcome).toBe('action_end');
  const span =
    Date.parse(declinedRun.steps.at(-1).left_at) - Date.parse(declinedRun.steps[0].came_at);
  expect(Math.abs(span - 3 * DAY)).toBeLessThanOrEqual(HOUR);
  const result = await run({
    person: { email: 'made.up@tea.example', firstname: 'Mia' },
    assumptions: [{ step_id: tree.mail, activity: 'opened', after_minutes: 120 }],
  });
  expect(result).toMatchObject({ outcome: 'completed', kept_out: null });
  expect(result.steps[2].email.subject).toBe('Hello Mia');
  expect(result.steps[2].email.html).toContain('Welcome Mia');
  expect(await tree.people()).toEqual([]);
  const response = await owner.get('/client-api/api/subscribers?search=made.up');
  expect(response.body.data).toEqual([]);
  expect((await owner.get(tree.at)).body.data.figures.sent).toBe(0);
  expect((await owner.post(`${tree.at}/dry_run`, {})).status).toBe(422);
  const otherOwner = await server.owner();
  expect((await otherOwner.post(`${tree.at}/dry_run`, { subscriber })).status).toBe(404);
  expect((await otherOwner.get(`${tree.at}/forecast`)).status).toBe(404);
});

test('a forecast simulates the subscribers who would enter, and the report counts those who did', async () => {
  const tree = await createWelcome();
  const ids = await addPeople(server.db, owner.accountId, 8);
  await kit.join(tree.start.number, ids);
  clock.advance(2 * DAY);
  const { accountId } = owner;
  clock.reset();
  const forecast = await owner.get(`${tree.at}/forecast`);
  expect(forecast.status, forecast.text).toBe(200);
  expect(forecast.body.data).toMatchObject({
    ...{ is_known: true, days: 30, entered: 8, followed: 8, ended: [], messages: [] },
    here: [{ step_id: tree.wait, people: 8 }],
  });
  await tree.set({ holdout: 50, goal: { conditions: [hasGroup(tree.yes.id)], ends: false } });
  await tree.activate();
  const moreIds = await addPeople(server.db, accountId, 40, ['more.example']);
  await kit.join(tree.start.number, moreIds);
  await kit.turns();
  const interimReport = (await owner.get(`${tree.at}/report`)).body.data;
  const heldOut = interimReport.goal.held_out;
  expect(heldOut).toBeGreaterThan(5);
  expect(interimReport).toMatchObject({ entered: 40, inside: 40 - heldOut });
  await kit.join(tree.yes.number, moreIds.slice(0, 10));
  await advance(DAY + HOUR);
  await advance(2 * DAY + HOUR);
  clock.reset();
  const report = await owner.get(`${tree.at}/report`);
  expect(report.status, report.text).toBe(200);
  const { goal, steps, ended, inside } = report.body.data;
  expect(goal.reached + goal.held_out_reached).toBe(10);
  expect(goal.difference).toBeCloseTo(goal.rate - goal.held_out_rate, 1);
  const emailStep = steps.find((step: { step_id: string }) => step.step_id === tree.mail);
  // No sender runs in this test, so the condition waits for emails that are never sent.
  expect(emailStep).toMatchObject({ entered: 40 - heldOut, here: 0 });
  expect(emailStep.left).toEqual([{ outcome: 'sent', people: 40 - heldOut }]);
  // Revenue is null without a store.
  expect(emailStep.earned).toBeNull();
  expect(inside).toBe(40 - heldOut);
  expect(ended).toEqual([{ outcome: 'held_out', people: heldOut }]);
  const formatDayAt = (days: number) =>
    new Date(Date.now() + days * DAY).toISOString().slice(0, 10);
  const readDays = (from: string, until: string, client = owner) =>
    client.get(`${tree.at}/days?from=${from}&until=${until}`);
  const days = (await readDays(formatDayAt(-1), formatDayAt(5))).body.data as Record<
    string,
    number
  >[];
  const sumOf = (name: string) => days.reduce((total, day) => total + (day[name] ?? 0), 0);
  expect(days).toHaveLength(7);
  expect({ entered: sumOf('entered'), sent: sumOf('sent'), completed: sumOf('completed') }).toEqual(
    {
      ...{ entered: 40 - heldOut, sent: 40 - heldOut, completed: 0 },
    },
  );
  const daysBefore = (await readDays(formatDayAt(-30), formatDayAt(-10))).body.data as {
    entered: number;
  }[];
  expect(daysBefore.every((stepFigures) => stepFigures.entered === 0)).toBe(true);
  expect((await readDays(formatDayAt(1), formatDayAt(0))).status).toBe(422);
  expect((await readDays('2020-01-01', '2026-01-01')).status).toBe(422);
  expect((await readDays(formatDayAt(0), formatDayAt(0), await server.owner())).status).toBe(404);
});

test('workflow totals count only emails, and an SMS step has separate statistics', async () => {
  const { accountId } = owner;
  const start = await kit.group('Start');
  const phone = encodeId('phone', await addSmsSender(server.db, accountId));
  const tree = await kit.workflow({ triggerType: 'LIST_ADD', listId: start.id });
  const smsStep = await tree.add(tree.trigger, 'SMS', { phone, text: 'Hello {{firstname}}' });
  await tree.activate();
  const ids = await addPeople(server.db, accountId, 1);
  const [number] = daytimeNumbers(1).numbers;
  await sql`update subscribers set phone = ${number}, phone_key = ${number},
      sms_status = 'active' where account_id = ${accountId}`.execute(server.db);
  await kit.join(start.number, ids);
  await kit.turns();
  startSmsSender(server.db, fakeSmsProvider().open);
  const report = async () => (await owner.get(`${tree.at}/report`)).body.data;
  const stepOf = ({ steps }: { steps: { step_id: string }[] }) =>
    steps.find((step) => step.step_id === smsStep);
  await expect
    .poll(async () => stepOf(await report()), { timeout: 30_000 })
    .toMatchObject({ type: 'SMS', figures: { sent: 1 } });
  await sql`insert into outcomes (account_id, subscriber_id, message_id, first_human_click_at, clicks)
    select account_id, ${ids[0]}, id, now(), 1 from messages
    where account_id = ${accountId} and kind = 'sms_workflow'`.execute(server.db);
  const today = new Date().toISOString().slice(0, 10);
  const days = await owner.get(`${tree.at}/days?from=${today}&until=${today}`);
  expect(days.body.data, days.text).toMatchObject([{ sent: 1, opened: 0, clicked: 0 }]);
  const noEmails = { sent: 0, opened: 0, open_rate: 0 };
  expect((await report()).figures).toMatchObject(noEmails);
  const { data } = (await owner.get('/client-api/api/workflows')).body;
  expect(data).toEqual([expect.objectContaining({ figures: expect.objectContaining(noEmails) })]);
}, 60_000);

test('the recipient lists of a step’s email show opens, clicks and bounces, and can be searched and sorted', async () => {
  const tree = await createWelcome();
  await tree.activate();
  const { accountId } = owner;
  const ids = await addPeople(server.db, accountId, 4);
  await kit.join(tree.start.number, ids);
  await kit.turns();
  await advance(DAY + HOUR);
  clock.reset();
  const [early, late, bounced, deleted] = ids as [number, number, number, number];
  const { rows } = await sql<{ id: number }>`select id from messages
    where account_id = ${accountId} and kind = 'workflow'`.execute(server.db);
  const message = rows[0]?.id as number;
  const [first, second] = [new Date('2026-03-01T10:00:00Z'), new Date('2026-03-02T10:00:00Z')];
  await sql`
    insert into outcomes (account_id, subscriber_id, message_id, first_open_at,
      first_human_open_at, opens, hard_bounced_at)
    values (${accountId}, ${early}, ${message}, ${first}, ${first}, 3, null),
      (${accountId}, ${late}, ${message}, ${second}, null, 1, null),
      (${accountId}, ${bounced}, ${message}, null, null, 0, ${first}),
      (${accountId}, ${deleted}, ${message}, ${first}, ${first}, 1, null)`.execute(server.db);
  await sql`update subscribers set deleted_at = now(), email = null, email_key = null
    where account_id = ${accountId} and id = ${deleted}`.execute(server.db);
  // Only accepted copies are counted as sent: one copy is skipped here, and a repeated result is
  // counted once.
  await sql`insert into results (account_id, message_id, lane, ordinal, attempt, state, at)
    select account_id, message_id, lane, ordinal, attempt,
      (case when subscriber_id = ${bounced} then 'skipped' else 'accepted' end)::delivery_state,
      ${first} from recipients cross join generate_series(1, 2) attempt
    where account_id = ${accountId} and message_id = ${message}`.execute(server.db);
  const report = async () => (await owner.get(`${tree.at}/report`)).body.data;
  expect(await report()).toMatchObject({ entered: 4, recipients: null, earned: null });
  await sql`insert into attributions
      (account_id, order_id, entry, at, amount, currency, message_id, touch, touch_at)
    values (${accountId}, 1, 'order', ${second}, 60, 'EUR', ${message}, 'email_open', ${first})`.execute(
    server.db,
  );
  expect(await report()).toMatchObject({
    ...{ entered: 4, recipients: 3, earned: [{ currency: 'EUR', orders: 1, revenue: 60 }] },
  });
  const at = `${tree.at}/steps/${tree.mail}`;
  const list = async (query: string) => {
    const response = await owner.get(`${at}/actions?${query}`);
    expect(response.status, response.text).toBe(200);
    return response.body;
  };
  const listSubscriberIds = (page: { data: { subscriber: { id: string } | null }[] }) =>
    page.data.map((row) => row.subscriber?.id ?? null);
  const [a, b, c] = [early, late, bounced].map((id) => encodeId('subscriber', id));
  const opens = await list('action=opens');
  expect(listSubscriberIds(opens)).toEqual([b, a, null]);
  expect(opens.data[0]).toMatchObject({ count: 1, is_human: false, at: second.toISOString() });
  expect(opens.data[1]).toMatchObject({ count: 3, is_human: true });
  expect(listSubscriberIds(await list('action=opens&order=email&direction=asc'))).toEqual([
    a,
    b,
    null,
  ]);
  expect(listSubscriberIds(await list('action=hard_bounces'))).toEqual([c]);
  expect(listSubscriberIds(await list('action=clicks'))).toEqual([]);
  const email = opens.data[1].subscriber.email as string;
  expect(listSubscriberIds(await list(`action=opens&search=${email}`))).toEqual([a]);
  const links = await owner.get(`${at}/links`);
  expect(links.body.data).toMatchObject([
    { url: 'https://tea.example/sale', clicks: 0, people: 0 },
  ]);
  expect((await owner.get(`${at}/actions?action=nonsense`)).status).toBe(422);
  expect((await owner.get(`${tree.at}/steps/${tree.wait}/actions`)).status).toBe(404);
  const otherOwner = await server.owner();
  expect((await otherOwner.get(`${at}/actions`)).status).toBe(404);
  expect((await otherOwner.get(`${at}/links`)).status).toBe(404);
  // The subscribers of a workflow are found by email address as well.
  const searchResponse = await owner.get(`${tree.at}/people?search=${email}`);
  expect(
    searchResponse.body.data.map((row: { subscriber_id: string }) => row.subscriber_id),
  ).toEqual([a]);
  expect((await owner.get(`${tree.at}/people?search=nobody`)).body.data).toEqual([]);
});

const hasGroup = (group: string) => ({ type: 'tag', operator: 'have', operand: group });

test('an edit with subscribers inside previews its effects and an earlier version can be restored', async () => {
  const tree = await createWelcome();
  await tree.activate();
  const ids = await addPeople(server.db, owner.accountId, 3);
  await kit.join(tree.start.number, ids);
  await kit.turns();
  const { version } = (await owner.get(tree.at)).body.data;
  const readEffects = (path: string) => owner.get(`${tree.at}/steps/${tree.wait}/removal${path}`);
  expect((await readEffects('')).body.data).toEqual({
    ...{ steps: [tree.wait], ends: 0, goes_on: { people: 3, step_id: tree.mail } },
  });
  const allEffects = (await readEffects('?delete_all_below=true')).body.data;
  expect(allEffects).toMatchObject({ ends: 3, goes_on: { people: 0, step_id: null } });
  expect(allEffects.steps).toHaveLength(6);

  const data = { delay_type: 'HOURS', amount: 2 };
  await owner.patch(`${tree.at}/steps/${tree.wait}/data`, { data });
  await advance(3 * HOUR);
  clock.reset();
  expect((await tree.people()).map((entrant) => entrant.step_id)).toEqual(Array(3).fill(tree.wait));
  const response = await owner.post(`${tree.at}/steps/${tree.wait}/apply_delay`);
  expect(response.body.data).toEqual({ people: 3 });
  await kit.turns();
  const [run] = await tree.people();
  const waits = Date.parse(run?.wake_at ?? '') - Date.parse(run?.entered_at ?? '');
  expect(waits).toBe(2 * HOUR);

  expect((await owner.delete(`${tree.at}/steps/${tree.later}`, {})).status).toBe(200);
  const changedVersion = (await owner.get(`${tree.at}/versions/${version}`)).body.data;
  expect(changedVersion.changes.map((change: object) => ({ ...change, type: undefined }))).toEqual([
    { step_id: tree.wait, change: 'changed' },
    { step_id: tree.later, change: 'added' },
    { step_id: tree.condition, change: 'moved' },
  ]);
  const restoreResponse = await owner.post(`${tree.at}/versions/${version}/restore`);
  expect(restoreResponse.status, restoreResponse.text).toBe(200);
  expect((await owner.get(`${tree.at}/versions/${version}`)).body.data.changes).toEqual([]);
  expect((await owner.get(`${tree.at}/versions/999999`)).status).toBe(404);
});

test('subscribers who wait at a removed delay still continue when its condition is met, even after the settings change', async () => {
  const [start, yes] = [await kit.group('Start'), await kit.group('Yes')];
  const tree = await kit.workflow({ triggerType: 'LIST_ADD', listId: start.id });
  const condition = {
    ...{ type: 'tag', operator: 'have', operand: yes.id, group: 1, key: '', more: [] },
    ...{ outside_concat: 'and', inside_concat: 'and' },
  };
  const wait = await tree.add(tree.trigger, 'delay', {
    ...{ delay_type: 'UNTIL', amount: 9, unit: 'DAYS' },
    until: { kind: 'conditions', conditions: [condition] },
  });
  await tree.add(wait, 'ACTION', { action: 'END' });
  await tree.activate();
  const ids = await addPeople(server.db, owner.accountId, 1);
  await kit.join(start.number, ids);
  await kit.turns();
  expect((await owner.delete(`${tree.at}/steps/${wait}`, {})).status).toBe(200);
  await tree.set({ reentry: 'never' });
  await kit.turns();
  expect(await tree.people()).toMatchObject([{ step_id: wait, outcome: null }]);
  await kit.join(yes.number, ids);
  await kit.turns();
  expect(await tree.people()).toMatchObject([{ outcome: 'action_end' }]);
});

test('a message more than a day late waits until the owner decides to send it', async () => {
  const tree = await createWelcome();
  await tree.activate();
  const ids = await addPeople(server.db, owner.accountId, 2);
  await kit.join(tree.start.number, ids);
  await kit.turns();
  // The server is down for three days.
  await advance(3 * DAY);
  await advance(DAY);
  clock.reset();
  expect(
    (await tree.people()).map((entrant) => [entrant.step_id, entrant.held_for, entrant.wake_at]),
  ).toEqual(Array(2).fill([tree.mail, 'late', null]));
  expect((await owner.get(`${tree.at}/report`)).body.data.late).toBe(2);
  const decisionResponse = await owner.post(`${tree.at}/late`, { decision: 'send' });
  expect(decisionResponse.body.data).toEqual({ people: 2 });
  await kit.turns();
  expect((await tree.people()).map((entrant) => entrant.step_id)).toEqual(
    Array(2).fill(tree.later),
  );
});

test('deleting an object that a workflow uses fails with an error that names the workflow', async () => {
  const tree = await createWelcome();
  const rejection = await owner.delete(`/client-api/api/tags/${tree.yes.id}`);
  expect(rejection.status).toBe(409);
  expect(rejection.text).toContain(tree.id);
});

test('a coupon pool with fewer codes than subscribers inside adds a warning to the step that uses it', async () => {
  const tree = await createWelcome();
  const POOLS = '/client-api/api/coupon_pools';
  const { id } = (await owner.post(POOLS, { title: 'Spring' })).body.data;
  const { rows } = await sql<{ id: number }>`select max(id) as id from coupon_pools
    where account_id = ${owner.accountId}`.execute(server.db);
  const at = `/client-api/api/workflow_steps/${tree.mail}/content`;
  const { revision } = (await owner.get(at)).body.data;
  const html = `<p>{{ coupon-${rows[0]?.id} }}</p><a href="{{ unsubscribe_link }}">Leave</a>`;
  const response = await owner.put(at, { revision, editor: 'html', html });
  expect(response.status, response.text).toBe(200);
  const listWarnings = async () =>
    (await tree.steps()).flatMap((step) => step.warnings.map((warning) => [step.id, warning]));
  expect(await listWarnings()).toEqual([[tree.mail, 'coupons_short']]);
  const add = (codes: string) => owner.post(`${POOLS}/${id}/codes`, { codes });
  await add('ONE');
  expect(await listWarnings()).toEqual([]);
  await tree.activate();
  await kit.join(tree.start.number, await addPeople(server.db, owner.accountId, 2));
  await kit.turns();
  expect(await listWarnings()).toEqual([[tree.mail, 'coupons_short']]);
  await add('TWO');
  expect(await listWarnings()).toEqual([]);
});

test('a deleted workflow sends nothing, and its runs and counts are deleted', async () => {
  const tree = await createWelcome();
  await tree.activate();
  await kit.join(tree.start.number, await addPeople(server.db, owner.accountId, 3));
  await kit.turns();
  expect((await owner.delete(tree.at)).status).toBe(200);
  expect((await owner.get(tree.at)).status).toBe(404);
  await server.runJobs();
  clock.advance(2 * DAY);
  await kit.turns();
  const { rows } = await sql<{ runs: number; counts: number; mails: number }>`
    select (select count(*) from workflow_runs where account_id = ${owner.accountId}) as runs,
      (select count(*) from workflow_step_counts where account_id = ${owner.accountId}) as counts,
      (select count(*) from recipients where account_id = ${owner.accountId}) as mails`.execute(
    server.db,
  );
  expect(rows).toEqual([{ runs: 0, counts: 0, mails: 0 }]);
});
