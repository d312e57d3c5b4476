// Compares the workflow engine with raw statements that write or read the same rows, measured in
// the same round. It measures recording events, entering, evaluating conditions, traversing a tree,
// finding due runs, and detecting changes of a segment's members.
import { sql } from 'kysely';
import type { SendingOptions } from '#areas/content/server/index.ts';
import { saveContent } from '#areas/content/server/index.ts';
import { queueGroupJoined } from '#areas/workflows/server/entering/facts.ts';
import { sweepMembers } from '#areas/workflows/server/entering/members.sql.ts';
import { listAccountsWithWork } from '#areas/workflows/server/runs/runs.sql.ts';
import { addStep, saveStepData, setTrigger } from '#areas/workflows/server/editing/steps.ts';
import { readSteps, updateStep } from '#areas/workflows/server/steps/steps.sql.ts';
import { runTurns } from '#areas/workflows/server/account-turn.ts';
import { activateWorkflow, createWorkflow } from '#areas/workflows/server/workflows.ts';
import { filterMatching } from '#areas/segments/server/index.ts';
import { decodeId, encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import { median, ms, measureDuration } from '../kit/figures.ts';

const OPTIONS: SendingOptions = {
  publicUrl: 'https://news.example',
  needsVerifiedSender: false,
};
const INSERT_SIZE = 50_000;
const EVALUATED = 10_000;
const GROUP = 900_001;

type EngineMeasurement = {
  name: string;
  raw: number;
  product: number;
  /**
   * The target, as either `min` or `max`. `min` is the minimum speed as a share of the raw speed,
   * `max` the maximum time as a multiple of the raw time.
   */
  min?: number;
  max?: number;
};

/** Returns the figures and whether every line meets its target. */
export async function measureEngine(
  db: Db,
  accountId: number,
  ids: readonly number[],
): Promise<{ isGood: boolean; figures: Record<string, number> }> {
  const workflow = await build(db, accountId);
  await sql`create unlogged table raw_runs (like workflow_runs including all)`.execute(db);
  await sql`alter table raw_runs set logged`.execute(db);
  const lines: EngineMeasurement[] = [];
  const raw = {
    insert: await measureDuration(() => rawInsert(db, accountId, ids)),
    update: await measureDuration(() => rawUpdate(db, accountId)),
  };
  const joinTime = await measureDuration(() => joinGroup(db, accountId, ids));
  lines.push({ name: 'record events', raw: raw.insert, product: joinTime, max: 0.05 });
  const enterMs = await measureDuration(() => runBenchTurns(db));
  const inside = await count(db, workflow);
  if (inside !== ids.length) throw new Error(`${inside} of ${ids.length} entered`);
  // Entering and waiting in the first delay consist of an INSERT and an UPDATE for each subscriber.
  lines.push({
    name: 'enter and wait',
    raw: raw.insert + raw.update,
    product: enterMs,
    min: 0.25,
  });
  lines.push(await poll(db));
  clock.advance(3_700_000);
  const advanceMs = await measureDuration(() => runBenchTurns(db));
  lines.push({ name: 'condition and email', raw: raw.update, product: advanceMs, min: 0.25 });
  lines.push(await timeEvaluation(db, accountId, ids));
  lines.push(await segment(db, accountId, workflow));
  return report(lines);
}

async function build(db: Db, accountId: number): Promise<number> {
  await sql`insert into groups (account_id, id, title, title_key, created_at, modified_at)
    overriding system value values (${accountId}, ${GROUP}, 'Start', 'start', now(), now())`.execute(
    db,
  );
  const caller = { accountId, userId: 1 };
  return inTransaction(db, async (tx) => {
    const workflow = await createWorkflow(tx, caller, 'Bench');
    const id = decodeId('workflow', workflow.id) as number;
    const listId = encodeId('group', GROUP);
    await setTrigger(tx, caller, id, { triggerType: 'LIST_ADD', listId });
    const [trigger] = await readSteps(tx, accountId, [id]);
    const add = async (parent: number, type: 'delay' | 'CONDITION' | 'EMAIL', data: object) => {
      const position = { parent_id: parent, type, condition_path: 'TRUE', children_path: 'TRUE' };
      const step = await addStep(tx, caller, id, position);
      await saveStepData(tx, caller, id, step, data as Record<string, unknown>);
      return step;
    };
    const wait = await add(trigger?.id as number, 'delay', { delay_type: 'HOURS', amount: 1 });
    const conditions = [{ type: 'email', operator: 'includes', operand: '@' }];
    const conditionStep = await add(wait, 'CONDITION', { kind: 'segment', conditions });
    const emailStep = await add(conditionStep, 'EMAIL', {
      ...{ subject: 'Hello', from_name: 'Tea', from_email: 'news@tea.example' },
    });
    await add(emailStep, 'delay', { delay_type: 'DAYS', amount: 1 });
    const html = '<p>Hello</p><a href="{{ unsubscribe_link }}">Leave</a>';
    const source = { kind: 'html', html, plain_text: null } as const;
    const content = await saveContent(tx, accountId, null, source, 1);
    await updateStep(tx, accountId, emailStep, {
      ...{
        content_id: content.content_id,
        content_revision: content.revision,
        content_kind: 'html',
      },
    });
    await activateWorkflow(tx, accountId, id);
    return id;
  });
}

const rawInsert = (db: Db, accountId: number, ids: readonly number[]) =>
  sql`insert into raw_runs (account_id, workflow_id, subscriber_id, step_id, is_begun, wake_at, depth, entered_at)
    select ${accountId}::bigint, -1, id, 1, true, now(), 0, now()
    from unnest(${[...ids]}::bigint[]) id`.execute(db);

const rawUpdate = (db: Db, accountId: number) =>
  sql`update raw_runs set step_id = 2, wake_at = now() + interval '1 hour',
      trail = trail || '[[1, 1795000000000, ""]]'::jsonb
    where account_id = ${accountId} and workflow_id = -1`.execute(db);

async function joinGroup(db: Db, accountId: number, ids: readonly number[]): Promise<void> {
  for (let from = 0; from < ids.length; from += INSERT_SIZE) {
    const subscriberIds = ids.slice(from, from + INSERT_SIZE);
    await inTransaction(db, (tx) =>
      queueGroupJoined(tx, { accountId, groupId: GROUP, subscriberIds, origin: 'form' }),
    );
  }
}

const runBenchTurns = (db: Db) => runTurns(db, OPTIONS);

async function count(db: Db, workflow: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from workflow_runs where workflow_id = ${workflow}
      and wake_at > ${clock.now()}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Measures one poll while all runs wait. */
async function poll(db: Db): Promise<EngineMeasurement> {
  const now = clock.now();
  const lookupMs = await measureDuration(async () => {
    for (let n = 0; n < 50; n++) await listAccountsWithWork(db, now);
  });
  return { name: 'poll (ms, at most 2)', raw: 2, product: lookupMs / 50, max: 1 };
}

async function timeEvaluation(
  db: Db,
  accountId: number,
  ids: readonly number[],
): Promise<EngineMeasurement> {
  const sampleIds = ids.slice(0, EVALUATED);
  const baseCondition = {
    operand: 'person',
    group: 1,
    outside_concat: 'and',
    inside_concat: 'and',
    key: '',
  };
  const conditions = [
    { ...baseCondition, type: 'email', operator: 'includes', more: [] },
    { ...baseCondition, type: 'email_status', operator: 'is', operand: 'active', more: [] },
  ] as never;
  const raw = await measureDuration(() =>
    sql`update raw_runs set step_id = 3 where account_id = ${accountId}
      and subscriber_id = any(${sampleIds}::bigint[])`.execute(db),
  );
  const product = await measureDuration(() =>
    filterMatching(db, accountId, conditions, sampleIds, clock.now()),
  );
  return { name: 'evaluate 10,000', raw, product, max: 1 };
}

async function segment(db: Db, accountId: number, workflow: number): Promise<EngineMeasurement> {
  const emailMatches = sql<boolean>`s.email_key like '%example%'`;
  const counting = () =>
    sql`select count(*) from subscribers s where s.account_id = ${accountId}
      and s.deleted_at is null and ${emailMatches}`.execute(db);
  const sweep = () =>
    inTransaction(db, (tx) => sweepMembers(tx, accountId, workflow, emailMatches));
  await sweep();
  const raw: number[] = [];
  const product: number[] = [];
  for (let round = 0; round < 9; round++) {
    raw.push(await measureDuration(counting));
    product.push(await measureDuration(sweep));
  }
  return { name: 'segment, all', raw: median(raw), product: median(product), max: 1.7 };
}

function report(lines: readonly EngineMeasurement[]): {
  isGood: boolean;
  figures: Record<string, number>;
} {
  const results: Record<string, number> = {};
  let isGood = true;
  for (const { name, raw, product, min, max } of lines) {
    const ratio = min === undefined ? product / raw : raw / product;
    const isWithin = min === undefined ? ratio <= (max ?? 1) : ratio >= min;
    isGood &&= isWithin;
    results[name] = Math.round(ratio * 1000) / 1000;
    const target = min === undefined ? `at most ${max}` : `at least ${min}`;
    console.log(
      `${name.padEnd(22)} raw ${ms(raw)} ms, product ${ms(product)} ms: ${results[name]} (${target})${isWithin ? '' : '  MISSED'}`,
    );
  }
  return { isGood, figures: results };
}
