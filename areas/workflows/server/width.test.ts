// Triggers and waits from end to end with a simulated clock: links, forms, dates, segments, waits
// for an event, goals, SMS, notifications and HTTP calls.

import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { formConfirmed } from '#areas/forms/server/index.ts';
import { setFieldValue } from '#areas/subscribers/server/index.ts';
import { type EngagementEvent, engagementRecorded } from '#areas/tracking/server/index.ts';
import { makeCalls } from '#areas/webhooks/server/calls.ts';
import { decodeId, encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction, type Tx } from '#platform/server/database/database.ts';
import { startWebhookReceiver } from '#testing/servers/webhook-receiver.ts';
import { type TestOwner, testServer } from '#testing/setup/server.ts';
import { addPeople } from '#testing/worlds/sending-helpers.ts';
import { EMAIL, workflowBuilder } from '#testing/worlds/workflow-builder.ts';

const server = await testServer({ PRIVATE_HOSTS: 'yes' });
const API = '/client-api/api';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
let owner: TestOwner;
let kit: ReturnType<typeof workflowBuilder>;

beforeEach(async () => {
  owner = await server.owner();
  kit = workflowBuilder(server, owner);
  return () => clock.reset();
});

const inTx = <T>(work: (tx: Tx) => Promise<T>) => inTransaction(server.db, work);
const END = { action: 'END' };
const listOutcomes = async (tree: { people(): Promise<{ outcome: string | null }[]> }) => {
  clock.reset();
  return (await tree.people()).map((run) => run.outcome);
};

/** Advances the clock, then runs all due runs. */
async function advance(ms: number): Promise<void> {
  clock.advance(ms);
  await kit.turns();
}

async function createField(title: string, type = 'datetime') {
  const { id } = (await owner.post(`${API}/fields`, { title, type })).body.data;
  return { id: id as string, number: decodeId('field', id) as number };
}

const setField = (id: number, fieldId: number, value: string) =>
  inTx((tx) =>
    setFieldValue(tx, owner.accountId, [id], { fieldId, value }, { origin: 'form', depth: 0 }),
  );

test('a birthday without a year starts a workflow on its date, not earlier', async () => {
  const birthday = await createField('Birthday', 'birthday');
  const [born, later] = (await addPeople(server.db, owner.accountId, 2)) as [number, number];
  const inDays = (days: number) =>
    new Date(clock.now().getTime() + days * DAY).toISOString().slice(5, 10);
  await setField(born, birthday.number, inDays(2));
  await setField(later, birthday.number, inDays(9));
  const trigger = { triggerType: 'ANNIVERSARY', field: birthday.id, time: '09:00' };
  const tree = await kit.workflow(trigger);
  await tree.add(tree.trigger, 'ACTION', END);
  await tree.activate();
  await kit.turns();
  await advance(4 * DAY);
  const { rows } = await sql<{ id: number }>`select subscriber_id as id from workflow_runs
    where account_id = ${owner.accountId}`.execute(server.db);
  expect(rows).toEqual([{ id: born }]);
});

test('an anniversary starts a workflow once a year, at its hour in the subscriber’s time zone', async () => {
  const birthday = await createField('Born');
  const [tokyo, oslo, other] = (await addPeople(server.db, owner.accountId, 3)) as [
    number,
    number,
    number,
  ];
  // One subscriber has a stored time zone, the others have the time zone of their country.
  await sql`update subscribers set timezone = case when id = ${tokyo} then 'Asia/Tokyo' end,
      country = case when id <> ${tokyo} then 'NO' end
    where account_id = ${owner.accountId}`.execute(server.db);
  const day = new Date(clock.now().getTime() + 2 * DAY).toISOString().slice(5, 10);
  const farDay = new Date(clock.now().getTime() + 9 * DAY).toISOString().slice(5, 10);
  for (const [id, on] of [
    [tokyo, day],
    [oslo, day],
    [other, farDay],
  ] as const)
    await setField(id, birthday.number, `1990-${on} 00:00:00`);
  const trigger = { triggerType: 'ANNIVERSARY', field: birthday.id, time: '09:00' };
  const tree = await kit.workflow(trigger);
  await tree.add(tree.trigger, 'ACTION', END);
  await tree.activate();
  await kit.turns();
  expect(await tree.people()).toHaveLength(0);
  const arrivals: number[] = [];
  for (let hour = 0; hour < 4 * 24; hour++) {
    await advance(HOUR);
    const { rows } = await sql<{ id: number }>`select subscriber_id as id from workflow_runs
      where account_id = ${owner.accountId} order by entered_at, subscriber_id`.execute(server.db);
    for (const { id } of rows) if (!arrivals.includes(id)) arrivals.push(id);
  }
  expect(arrivals).toEqual([tokyo, oslo]);
  // After 366 days of downtime each missed anniversary starts one run.
  await advance(366 * DAY);
  await advance(HOUR);
  const { rows } = await sql<{ id: number; subject: number }>`
    select subscriber_id as id, subject from workflow_runs
    where account_id = ${owner.accountId} order by subject, subscriber_id`.execute(server.db);
  expect(rows.filter((row) => row.id === other)).toHaveLength(1);
  expect(new Set(rows.map((row) => `${row.id}/${row.subject}`)).size).toBe(rows.length);
});

test('a segment trigger starts runs for new members, but not for current or manually added members', async () => {
  const vipGroup = await kit.group('VIP');
  const ids = await addPeople(server.db, owner.accountId, 70);
  await kit.join(vipGroup.number, ids.slice(0, 2));
  const condition = {
    ...{ type: 'tag', operator: 'have', operand: vipGroup.id, group: 1, key: '', more: [] },
    ...{ outside_concat: 'and', inside_concat: 'and' },
  };
  const response = await owner.post(`${API}/filters`, { title: 'VIPs', conditions: [condition] });
  expect(response.status, response.text).toBe(200);
  const tree = await kit.workflow({ triggerType: 'SEGMENT_ENTER', segment: response.body.data.id });
  await tree.add(tree.trigger, 'ACTION', END);
  await tree.activate();
  await kit.join(vipGroup.number, ids.slice(2, 5), 'bulk');
  await kit.join(vipGroup.number, ids.slice(5));
  await kit.turns();
  const enteredIds = (await tree.people()).map((run) => decodeId('subscriber', run.subscriber_id));
  expect(enteredIds.toSorted((a, b) => Number(a) - Number(b))).toEqual(ids.slice(5));
  // The hourly check finds changes without an event.
  const moreIds = await addPeople(server.db, owner.accountId, 1, ['late.example']);
  await sql`insert into group_members (account_id, group_id, subscriber_id, created_at)
    values (${owner.accountId}, ${vipGroup.number}, ${moreIds[0]}, now())`.execute(server.db);
  await advance(HOUR);
  const { rows } = await sql<{ count: number }>`select count(*) as count from workflow_runs
    where account_id = ${owner.accountId}`.execute(server.db);
  expect(rows[0]?.count).toBe(ids.length - 5 + 1);
});

test('a click on a trigger’s URL starts a run and an open ends a wait, but automated events do neither', async () => {
  const start = await kit.group('Start');
  const ids = await addPeople(server.db, owner.accountId, 4);
  const [first, second, third] = ids as [number, number, number];
  const tree = await kit.workflow({ triggerType: 'LIST_ADD', listId: start.id });
  // The links of this email get UTM parameters, so the sent URL differs from the URL in the content.
  const emailStep = await tree.add(tree.trigger, 'EMAIL', { ...EMAIL, utm_campaign: 'spring tea' });
  await kit.write(emailStep);
  const wait = await tree.add(emailStep, 'delay', {
    ...{ delay_type: 'UNTIL', amount: 2, unit: 'DAYS' },
    until: { kind: 'activity', activity: 'opened', step_id: emailStep },
  });
  const conditionStep = await tree.add(wait, 'CONDITION', {
    ...{ kind: 'activity', activity: 'opened', step_id: emailStep },
  });
  await tree.add(conditionStep, 'ACTION', END);
  const clickWorkflow = await kit.workflow({
    triggerType: 'LINK_CLICK',
    url: 'https://tea.example/sale',
  });
  await clickWorkflow.add(clickWorkflow.trigger, 'ACTION', END);
  await tree.activate();
  await clickWorkflow.activate();
  await kit.join(start.number, ids);
  await kit.turns();
  expect((await tree.people()).map((run) => run.step_id)).toEqual(Array(4).fill(wait));
  const [{ id: messageId }] = (
    await sql<{ id: number }>`
    select id from messages where account_id = ${owner.accountId} and kind = 'workflow'`.execute(
      server.db,
    )
  ).rows as [{ id: number }];
  const { rows: links } = await sql<{
    position: number;
    url: string;
  }>`select position, url from links
    where account_id = ${owner.accountId} and message_id = ${messageId} and url like '%/sale%'`.execute(
    server.db,
  );
  expect(links[0]?.url).toBe(
    'https://tea.example/sale?utm_source=newsletter&utm_medium=email&utm_campaign=spring%20tea',
  );
  const at = clock.now();
  const createHit = (subscriberId: number, verdict: 'human' | 'machine', position: number | null) =>
    ({
      ...{ messageId, subscriberId, at, verdict, position },
      kind: position === null ? 'open' : 'click',
    }) as EngagementEvent;
  // The messages are sent, and the recorder has classified these events.
  await sql`update messages set state = 'finished' where account_id = ${owner.accountId}`.execute(
    server.db,
  );
  await sql`insert into outcomes (account_id, subscriber_id, message_id, first_open_at, first_human_open_at)
    values (${owner.accountId}, ${first}, ${messageId}, ${at}, ${at}),
      (${owner.accountId}, ${second}, ${messageId}, ${at}, null)`.execute(server.db);
  await inTx((tx) =>
    engagementRecorded.announce(tx, {
      accountId: owner.accountId,
      engagement: [
        createHit(first, 'human', null),
        createHit(second, 'machine', links[0]?.position ?? 0),
        createHit(third, 'human', links[0]?.position ?? 0),
      ],
    }),
  );
  await kit.turns();
  const inside = (await owner.get(`${tree.at}/people?state=inside`)).body.data;
  expect(inside).toHaveLength(3);
  expect((await clickWorkflow.people()).map((run) => run.subscriber_id)).toEqual([
    encodeId('subscriber', third),
  ]);
  const [endedRun] = (await owner.get(`${tree.at}/people?state=ended`)).body.data;
  expect(endedRun.trail.map((entry: { note: string }) => entry.note).slice(2)).toEqual([
    'happened',
    'TRUE',
    'action_end',
  ]);
});

test('a confirmed form starts runs, the goal ends a run, and the contact guard delays a message', async () => {
  const boughtGroup = await kit.group('Bought');
  const ids = await addPeople(server.db, owner.accountId, 3);
  const [guarded, buyer] = ids as [number, number, number];
  const tree = await kit.workflow({ triggerType: 'FORM_SUBMIT' });
  const emailStep = await tree.add(tree.trigger, 'EMAIL', EMAIL);
  await kit.write(emailStep);
  const wait = await tree.add(emailStep, 'delay', { delay_type: 'DAYS', amount: 1 });
  const second = await tree.add(wait, 'EMAIL', EMAIL);
  await kit.write(second);
  const hasBought = { type: 'tag', operator: 'have', operand: boughtGroup.id };
  await tree.set({ goal: { conditions: [hasBought] } });
  await tree.activate();
  const guard = { messages: 1, days: 3, quiet_from: null, quiet_until: null };
  const response = await owner.put(`${API}/contact_guard`, guard);
  expect(response.status, response.text).toBe(200);
  const confirm = (id: number) =>
    inTx((tx) =>
      formConfirmed.announce(tx, {
        ...{ accountId: owner.accountId, formId: 1, subscriberIds: [id], at: clock.now() },
      }),
    );
  await kit.listenForFinished();
  for (const id of ids) await confirm(id);
  await kit.turns();
  await kit.join(boughtGroup.number, [buyer]);
  await kit.turns();
  expect(await kit.finished()).toEqual([[buyer, 'goal']]);
  await advance(DAY + 1000);
  clock.reset();
  const byId = new Map((await tree.people()).map((run) => [run.subscriber_id, run]));
  expect(byId.get(encodeId('subscriber', buyer))).toMatchObject({ outcome: 'goal', step_id: wait });
  expect(byId.get(encodeId('subscriber', guarded))).toMatchObject({ held_for: 'contact_guard' });
  // No subscriber is dropped: once the window ends, the second message is sent.
  clock.advance(3 * DAY + HOUR);
  await kit.turns();
  const finalOutcomes = await listOutcomes(tree);
  expect(finalOutcomes.toSorted()).toEqual(['completed', 'completed', 'goal']);
});

test('steps send an SMS, a notification to the owner and a signed HTTP call', async () => {
  const start = await kit.group('Start');
  const receiver = await startWebhookReceiver();
  const ids = await addPeople(server.db, owner.accountId, 2);
  await sql`update subscribers set phone = '+4790000001', phone_key = '+4790000001', sms_status = 'active'
    where account_id = ${owner.accountId} and id = ${ids[0]}`.execute(server.db);
  const { rows } = await sql<{ id: number }>`insert into phones
      (account_id, kind, value, value_key, use_case, status, proof, created_at, modified_at)
    values (${owner.accountId}, 'alphanumeric', 'Tea', 'tea', 'news', 'active', 'built_in', now(), now())
    returning id`.execute(server.db);
  const tree = await kit.workflow({ triggerType: 'LIST_ADD', listId: start.id });
  const phone = encodeId('phone', rows[0]?.id ?? 0);
  const smsStep = await tree.add(tree.trigger, 'SMS', { phone, text: 'Hello {{firstname}}' });
  const notifyStep = await tree.add(smsStep, 'ACTION', { action: 'NOTIFY', message: 'Call them!' });
  await tree.add(notifyStep, 'ACTION', { action: 'WEBHOOK', url: receiver.url });
  await tree.activate();
  await kit.join(start.number, ids);
  await kit.turns();
  await makeCalls(server.db);
  await receiver.close();
  expect((await tree.people()).map((run) => run.outcome)).toEqual(['completed', 'completed']);
  const notes = (await tree.people()).map((run) => run.trail[1]?.note);
  expect(notes.filter((note) => note === 'sent')).toHaveLength(1);
  const { rows: messages } = await sql<{ kind: string; count: number }>`
    select m.kind, (select count(*) from recipients r where r.account_id = m.account_id and r.message_id = m.id)
      + (select count(*) from single_sends s where s.account_id = m.account_id and s.message_id = m.id) as count
    from messages m where m.account_id = ${owner.accountId} and m.kind in ('sms_workflow', 'letter')
      and m.frozen::text like '%' order by m.kind, m.id desc`.execute(server.db);
  expect(messages.find((message) => message.kind === 'sms_workflow')?.count).toBe(1);
  expect(messages.filter((message) => message.kind === 'letter').length).toBeGreaterThan(0);
  expect(receiver.received.map(({ body }) => JSON.parse(body).subscriber.email).toSorted()).toEqual(
    [1, 2].map((n) => `person${n}@${['home.example', 'gmail.com', 'outlook.com'][n % 3]}`),
  );
  expect(
    receiver.received.every(({ headers }) =>
      /^[0-9a-f]{64}$/.test(String(headers['x-sender-signature'])),
    ),
  ).toBe(true);
});
