// 23: kill -9 of the worker, the sender and PostgreSQL at random while subscribers enter a workflow
// of ten steps and pass through it: each ends at the step that the simulator computes, none is
// lost, and none gets an email twice.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { saveContent } from '#areas/content/server/index.ts';
import { addToGroups } from '#areas/groups/server/index.ts';
import { startEmbeddedPostgres } from '#platform/server/database/embedded-postgres.ts';
import { queueGroupJoined } from '#areas/workflows/server/entering/facts.ts';
import { addStep, saveStepData, setTrigger } from '#areas/workflows/server/editing/steps.ts';
import { readSteps, updateStep } from '#areas/workflows/server/steps/steps.sql.ts';
import { activateWorkflow, createWorkflow } from '#areas/workflows/server/workflows.ts';
import { decodeId, encodeId } from '#platform/ids.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import { addPeople, proveDomain } from '#testing/worlds/sending-helpers.ts';
import { type SimEvent, type SimStep, Simulator } from '#testing/oracles/workflow-simulator.ts';
import {
  retryWhileUnavailable,
  type FaultTest,
  killRunning,
  readPostmasterPid,
  type Scene,
  withScene,
  waitUntil,
} from './kit.ts';
import { startRole } from './kit/roles.ts';

const KILLS = Number(process.env.WORKFLOW_KILLS ?? 50);
const SUBSCRIBERS = Number(process.env.WORKFLOW_PEOPLE ?? 10_000);
const SET_SIZE = 200;
const POSTGRES_KILLS = 5;
const SMTP = 'connections=8&rate=2000';

export const fault: FaultTest = {
  number: 23,
  title: `kill -9 of worker, sender and PostgreSQL, ${KILLS} times, in a workflow of ten steps`,
  run: (print) =>
    withScene(async (scene) => {
      const workflow = await build(scene.db);
      const { people } = workflow;
      let [worker, sender] = [
        await startRole(scene, 'worker'),
        await scene.startSender({ relay: SMTP }),
      ];
      const kills = { worker: 0, sender: 0, postgres: 0 };
      let joinedCount = 0;
      for (let count = 1; count <= KILLS; count++) {
        // Events are recorded during the faults, with retries until they succeed.
        for (
          ;
          joinedCount < Math.min(people.length, (count * people.length) / KILLS);
          joinedCount += SET_SIZE
        )
          await retryWhileUnavailable(() =>
            joinPeople(scene.db, workflow, people.slice(joinedCount, joinedCount + SET_SIZE)),
          );
        await sleep(500 + Math.random() * 3_000);
        if (count % Math.ceil(KILLS / POSTGRES_KILLS) === 0) {
          process.kill(readPostmasterPid(scene), 'SIGKILL');
          await sleep(300);
          scene.running.server = await startEmbeddedPostgres({ folder: scene.folder });
          kills.postgres++;
        } else if (Math.random() < 0.6) {
          await killRunning(worker);
          worker = await retryWhileUnavailable(() => startRole(scene, 'worker'));
          kills.worker++;
        } else {
          await killRunning(sender);
          sender = await retryWhileUnavailable(() => scene.startSender({ relay: SMTP }));
          kills.sender++;
        }
        if (count % 10 === 0)
          print(`${count} kills, ${await retryWhileUnavailable(() => describeRuns(scene.db))}`);
      }
      for (; joinedCount < people.length; joinedCount += SET_SIZE)
        await retryWhileUnavailable(() =>
          joinPeople(scene.db, workflow, people.slice(joinedCount, joinedCount + SET_SIZE)),
        );
      await killRunning(worker);
      await killRunning(sender);
      worker = await startRole(scene, 'worker');
      sender = await scene.startSender({ relay: SMTP });
      const problems: string[] = [];
      if (!(await waitUntil(() => retryWhileUnavailable(() => isOver(scene.db)), 400)))
        problems.push(`The workflow did not finish: ${await describeRuns(scene.db)}`);
      problems.push(...(await problemsOf(scene, workflow)));
      await Promise.all([killRunning(worker), killRunning(sender)]);
      const emails = scene.relay.accepted.filter((receivedMessage) =>
        receivedMessage.to[0]?.startsWith('person'),
      ).length;
      const deliveryTotals = await sumDeliveryCounts(scene.db);
      const { accepted, unknown } = deliveryTotals;
      if (deliveryTotals.others > 0)
        problems.push(`${deliveryTotals.others} failed or were skipped`);
      if (emails < accepted || emails > accepted + unknown)
        problems.push(`${emails} arrived, ${accepted} are accepted and ${unknown} unknown`);
      const { worker: w, sender: s, postgres: p } = kills;
      return {
        problems,
        facts: `${people.length} subscribers, each at the simulated step; ${emails} emails, none twice, ${unknown} unknown (${w} worker, ${s} sender, ${p} PostgreSQL)`,
      };
    }),
};

type BuiltWorkflow = Awaited<ReturnType<typeof build>>;

async function build(db: Db) {
  const now = new Date();
  const { rows } = await sql<{ id: number }>`
    insert into accounts (title, address, city, country, zip_code, created_at, modified_at)
    values ('Nordic Tea', '1 Road', 'Oslo', 'NO', '1', ${now}, ${now}) returning id`.execute(db);
  const accountId = rows[0]?.id as number;
  await proveDomain(db, accountId);
  const subscriberIds = await addPeople(db, accountId, SUBSCRIBERS);
  const { rows: groups } = await sql<{ id: number }>`
    insert into groups (account_id, title, title_key, created_at, modified_at)
    select ${accountId}::bigint, 'Group ' || n, 'group ' || n, ${now}::timestamptz, ${now}::timestamptz
    from generate_series(1, 3) n returning id`.execute(db);
  const [start, first, second] = groups.map((row) => row.id) as [number, number, number];
  const caller = { accountId, userId: 1 };
  return inTransaction(db, async (tx) => {
    const { id } = await createWorkflow(tx, caller, 'Ten steps');
    const workflow = decodeId('workflow', id) as number;
    const group = (number: number) => encodeId('group', number);
    await setTrigger(tx, caller, workflow, { triggerType: 'LIST_ADD', listId: group(start) });
    const [trigger] = await readSteps(tx, accountId, [workflow]);
    const steps: SimStep[] = [
      { id: trigger?.id as number, type: 'trigger', parent: null, path: 'TRUE', data: {} },
    ];
    const add = async (
      parent: number,
      type: 'delay' | 'EMAIL' | 'ACTION' | 'CONDITION',
      product: Record<string, unknown>,
      data: Record<string, unknown> = product,
      path = 'TRUE',
    ) => {
      const position = { parent_id: parent, type, condition_path: path, children_path: 'TRUE' };
      const step = await addStep(tx, caller, workflow, position);
      await saveStepData(tx, caller, workflow, step, product);
      if (type === 'EMAIL') await write(tx, accountId, step);
      steps.push({ id: step, type, parent, path, data });
      return step;
    };
    const email = { subject: 'Hello', from_name: 'Tea', from_email: 'news@tea.example' };
    const minute = { delay_type: 'MINUTES', amount: 1 };
    const hasGroup = (number: number) => ({
      kind: 'segment',
      conditions: [{ type: 'tag', operator: 'have', operand: group(number) }],
    });
    const copy = await add(
      steps[0]?.id as number,
      'ACTION',
      { action: 'COPY', group: group(first) },
      { action: 'COPY', group: first },
    );
    const wait = await add(copy, 'delay', minute);
    const hello = await add(wait, 'EMAIL', email, {});
    const paths = [
      { path: 'A', share: 30 },
      { path: 'B', share: 70 },
    ];
    const split = await add(hello, 'CONDITION', { kind: 'split', shares: paths });
    const moveStep = await add(
      split,
      'ACTION',
      { action: 'MOVE', group: group(second), from_group: group(first) },
      { action: 'MOVE', group: second, from: first },
      'A',
    );
    const pause = await add(moveStep, 'delay', minute);
    const conditionStep = await add(pause, 'CONDITION', hasGroup(first), {
      kind: 'segment',
      group: first,
    });
    await add(conditionStep, 'EMAIL', email, {}, 'FALSE');
    const delayStep = await add(split, 'delay', minute, minute, 'B');
    await add(delayStep, 'EMAIL', email, {});
    await activateWorkflow(tx, accountId, workflow);
    return { accountId, workflow, start, people: subscriberIds, steps };
  });
}

async function write(tx: Tx, accountId: number, step: number): Promise<void> {
  const html = `<p>Hello from ${step}</p><a href="{{ unsubscribe_link }}">Leave</a>`;
  const content = await saveContent(
    tx,
    accountId,
    null,
    { kind: 'html', html, plain_text: null },
    1,
  );
  await updateStep(tx, accountId, step, {
    content_id: content.content_id,
    content_revision: content.revision,
    content_kind: 'html',
  });
}

/** Calls the product's event listener as the product does: in the transaction of the change. */
const joinPeople = (db: Db, { accountId, start }: BuiltWorkflow, subscriberIds: number[]) =>
  inTransaction(db, async (tx) => {
    const joinedFact = { subscriberIds, origin: 'form' } as const;
    await addToGroups(tx, accountId, { groupIds: [start], ...joinedFact });
    await queueGroupJoined(tx, { accountId, groupId: start, ...joinedFact });
  });

async function describeRuns(db: Db): Promise<string> {
  const { rows } = await sql<{ inside: number; ended: number; sent: number }>`
    select count(*) filter (where ended_at is null) as inside, count(ended_at) as ended,
      (select coalesce(sum(accepted), 0)::bigint from delivery_counts) as sent
    from workflow_runs`.execute(db);
  const { inside = 0, ended: out = 0, sent = 0 } = rows[0] ?? {};
  return `${inside} inside, ${out} ended, ${sent} emails accepted`;
}

/**
 * Counts the copies by result. The result of a copy is `unknown` if the sender was killed while it
 * delivered the copy: it may or may not have arrived, and is never resent.
 */
async function sumDeliveryCounts(
  db: Db,
): Promise<{ accepted: number; unknown: number; others: number }> {
  const { rows } = await sql<{ accepted: number; unknown: number; others: number }>`
    select coalesce(sum(accepted), 0)::bigint as accepted,
      coalesce(sum(unknown), 0)::bigint as unknown,
      coalesce(sum(failed + skipped), 0)::bigint as others
    from delivery_counts`.execute(db);
  return rows[0] ?? { accepted: 0, unknown: 0, others: 0 };
}

async function isOver(db: Db): Promise<boolean> {
  const { rows } = await sql<{ inside: number; ended: number; waiting: number }>`
    select count(*) filter (where ended_at is null) as inside, count(ended_at) as ended,
      (select coalesce(sum(audience - accepted - failed - skipped - unknown), 0)::bigint
        from delivery_counts) as waiting
    from workflow_runs`.execute(db);
  const [row] = rows;
  return row !== undefined && row.inside === 0 && row.ended === SUBSCRIBERS && row.waiting === 0;
}

async function problemsOf({ db, relay }: Scene, workflow: BuiltWorkflow): Promise<string[]> {
  const { accountId, start, people, steps } = workflow;
  const problems: string[] = [];
  const { rows } = await sql<{ id: number; outcome: string; trail: [number, number, string][] }>`
    select subscriber_id as id, outcome, trail from workflow_runs
    where account_id = ${accountId}`.execute(db);
  const turnEvents = Array.from(
    { length: 10 },
    (_, n): SimEvent => ({ at: 1 + n * 60_000, kind: 'turn' }),
  );
  const joinEvents = people.map(
    (subscriber): SimEvent => ({ at: 1, kind: 'joined', subscriberId: subscriber, group: start }),
  );
  const simulator = new Simulator({
    ...{ steps, start, reentry: 'ended', activatedAt: 0 },
    subscribers: people.map((id) => ({ id, zone: 'UTC', groups: new Set(), isSubscribed: true })),
  });
  const paths = new Map(
    simulator
      .play([...joinEvents, ...turnEvents])
      .map((run) => [run.subscriberId, pathOf(run.outcome, run.trail)]),
  );
  const wrongRows = rows.filter((row) => pathOf(row.outcome, row.trail) !== paths.get(row.id));
  if (rows.length !== people.length) problems.push(`${rows.length} of ${people.length} entered`);
  if (wrongRows.length > 0)
    problems.push(
      `${wrongRows.length} took another path than simulated: ${pathOf(wrongRows[0]?.outcome, wrongRows[0]?.trail ?? [])}`,
    );
  const emails = rows.flatMap((row) =>
    row.trail.filter(([, , note]) => note.startsWith('message:')),
  );
  const { rows: counted } = await sql<{ recipients: number; pairs: number; counts: number }>`
    select (select count(*) from recipients where account_id = ${accountId}) as recipients,
      (select count(*) from (select distinct message_id, subscriber_id from recipients
        where account_id = ${accountId}) p) as pairs,
      (select coalesce(sum(people), 0)::bigint from workflow_step_counts
        where account_id = ${accountId} and outcome = 'sent') as counts`.execute(db);
  for (const [name, count] of Object.entries(counted[0] ?? {}))
    if (count !== emails.length) problems.push(`${name}: ${count} instead of ${emails.length}`);
  const { rows: levels } = await sql<{ step_id: number; off: number }>`
    select step_id, sum(case when outcome = 'entered' then people else -people end)::bigint as off
    from workflow_step_counts where account_id = ${accountId} group by 1`.execute(db);
  for (const { step_id, off } of levels)
    if (off !== 0) problems.push(`Step ${step_id}: entries and outcomes differ by ${off}`);
  const log = relay.accepted.map((receivedMessage) => receivedMessage.messageId);
  const duplicateCount = log.length - new Set(log).size;
  if (duplicateCount > 0) problems.push(`${duplicateCount} emails arrived twice`);
  return problems;
}

const pathOf = (outcome: string | null | undefined, trail: readonly [number, number, string][]) =>
  `${outcome}: ${trail.map(([step, , note]) => `${step} ${note.startsWith('message:') ? 'sent' : note}`).join(', ')}`;
