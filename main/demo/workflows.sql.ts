// The demo's runs through workflows, and the emails that their steps sent.
import { sql } from 'kysely';
import type { Tx } from '#platform/server/database/database.ts';
import { chance, type DemoHistory } from './history.sql.ts';
import type { JourneyCount, Entrant, Journey, StepEmail } from './journeys.ts';

/** Entrants of one workflow: subscribers who joined by a form, left a cart, or placed an order. */
export async function readEntrants(
  tx: Tx,
  history: DemoHistory,
  entrySource: 'form' | 'cart' | 'order',
): Promise<Entrant[]> {
  const ownedByAccount = sql`account_id = ${history.accountId}`;
  const source = {
    form: sql`select id, 0::bigint as subject, created_at as "enteredAt" from subscribers
      where ${ownedByAccount} and source = 'form'`,
    cart: sql`select subscriber_id as id, id as subject, modified_at + interval '1 hour' as "enteredAt"
      from carts
      where ${ownedByAccount} and subscriber_id is not null
        and modified_at < ${history.now}::timestamptz - interval '1 hour'`,
    order: sql`select subscriber_id as id, id as subject, placed_at as "enteredAt" from orders
      where ${ownedByAccount} and subscriber_id is not null and cancelled_at is null`,
  }[entrySource];
  const { rows } = await sql<Entrant>`
    select * from (${source}) entered order by "enteredAt" desc, id limit ${history.subscriberCount}`.execute(
    tx,
  );
  return rows;
}

export async function insertJourneys(
  tx: Tx,
  history: DemoHistory,
  workflowId: number,
  journeys: readonly Journey[],
): Promise<void> {
  const valuesOf = <T>(value: (journey: Journey) => T) => journeys.map(value);
  await sql`
    insert into workflow_runs (account_id, workflow_id, subscriber_id, subject, step_id, is_begun,
      wake_at, entered_at, ended_at, outcome, trail)
    select ${history.accountId}::bigint, ${workflowId}::bigint, id, subject, step_id, true, wake_at,
      entered_at, ended_at, case when ended_at is not null then 'completed' end, trail
    from unnest(${valuesOf((journey) => journey.entrant.id)}::bigint[], ${valuesOf((journey) => journey.entrant.subject)}::bigint[],
      ${valuesOf((journey) => journey.stepId)}::bigint[], ${valuesOf((journey) => journey.wakeAt)}::timestamptz[],
      ${valuesOf((journey) => journey.entrant.enteredAt)}::timestamptz[], ${valuesOf((journey) => journey.endedAt)}::timestamptz[],
      ${valuesOf((journey) => JSON.stringify(journey.trail))}::jsonb[])
      t (id, subject, step_id, wake_at, entered_at, ended_at, trail)`.execute(tx);
}

export async function insertStepCounts(
  tx: Tx,
  history: DemoHistory,
  workflowId: number,
  counts: readonly JourneyCount[],
): Promise<void> {
  await sql`
    insert into workflow_step_counts (account_id, workflow_id, step_id, outcome, people)
    select ${history.accountId}::bigint, ${workflowId}::bigint, t.*
    from unnest(${counts.map((count) => count.stepId)}::bigint[], ${counts.map((count) => count.outcome)}::text[],
      ${counts.map((count) => count.count)}::bigint[]) t`.execute(tx);
}

/**
 * Adds a step's emails to the recipients of `demo_sent`, so that the ledger, opens and sums of
 * workflows come from the same statements as for campaigns. `a` and `b` determine whether and when
 * an email is opened; see drawEvents.
 */
export async function addStepEmails(
  tx: Tx,
  step: { messageId: number; links: number },
  emails: readonly StepEmail[],
): Promise<void> {
  const times = emails.map(({ openedAfterSeconds }) =>
    openedAfterSeconds === null ? 0.5 : Math.exp(-(openedAfterSeconds - 90) / 21_600),
  );
  await sql`
    insert into demo_sent (campaign_id, message_id, sent_at, appeal, links, place, subscriber_id, keen,
      fate, ordinal, a, b, d, e)
    select null, ${step.messageId}::bigint, t.at, 1, ${step.links}::int, 0, t.id, 0.4, null,
      row_number() over (order by t.id), t.a, t.b,
      ${chance('t.id', 71)}, ${chance('t.id', 72)}
    from (select distinct on (id) id, at, a, b
      from unnest(${emails.map((email) => email.entrant.id)}::bigint[], ${emails.map((email) => email.sentAt)}::timestamptz[],
        ${emails.map((email) => (email.openedAfterSeconds === null ? 0.99 : 0))}::float8[], ${times}::float8[])
        u (id, at, a, b) order by id, at desc) t`.execute(tx);
}

/** Makes the workflow as old as the shop. */
export async function settleWorkflow(
  tx: Tx,
  history: DemoHistory,
  workflowId: number,
): Promise<void> {
  const since = new Date(history.now.getTime() - 730 * 86_400_000);
  await sql`update workflows set created_at = ${since}, activated_at = ${since}
    where account_id = ${history.accountId} and id = ${workflowId}`.execute(tx);
  await sql`update workflow_versions set created_at = ${since}
    where account_id = ${history.accountId} and workflow_id = ${workflowId}`.execute(tx);
}

/** Makes the shop the sender of the emails, instead of the user as in a ready-made workflow. */
export async function setSender(
  tx: Tx,
  history: DemoHistory,
  workflowId: number,
  { name, email }: { name: string; email: string },
): Promise<void> {
  const data = JSON.stringify({ from_name: name, from_email: email });
  await sql`update workflow_steps set data = data || ${data}::jsonb
    where account_id = ${history.accountId} and workflow_id = ${workflowId} and type = 'EMAIL'`.execute(
    tx,
  );
}
