// Queries for the HTTP calls that workflow steps make.
import { sql } from 'kysely';
import { acrossAccounts } from '#platform/server/database/across-accounts.sql.ts';
import type { Db, Tx } from '#platform/server/database/database.ts';

export async function insertCalls(
  tx: Tx,
  accountId: number,
  call: {
    url: string;
    workflowId: number;
    stepId: number;
    subjectIds: readonly number[];
    at: Date;
  },
): Promise<void> {
  await sql`
    insert into workflow_http_calls (account_id, url, workflow_id, step_id, subject_id, next_at, created_at)
    select ${accountId}::bigint, ${call.url}, ${call.workflowId}::bigint, ${call.stepId}::bigint, id,
      ${call.at}::timestamptz, ${call.at}::timestamptz
    from unnest(${[...call.subjectIds]}::bigint[]) id`.execute(tx);
}

export type DueCall = {
  account_id: number;
  id: number;
  url: string;
  workflow_id: number;
  step_id: number;
  subject_id: number;
  attempt: number;
  created_at: Date;
};

/** Returns the steps with due calls across all accounts. Runs on one elected worker. */
export async function listWaitingSteps(
  db: Db,
  now: Date,
): Promise<{ account_id: number; id: number }[]> {
  return acrossAccounts(
    db,
    (scope) => sql<{ account_id: number; id: number }>`
      select account_id, step_id as id from workflow_http_calls
      where state = 'due' and next_at <= ${now} and ${scope(sql`account_id`)}
      group by account_id, step_id`,
  );
}

/** Lists the oldest due calls of one step. */
export async function listDueCalls(
  db: Db,
  accountId: number,
  stepId: number,
  { now, limit }: { now: Date; limit: number },
): Promise<DueCall[]> {
  const { rows } = await sql<DueCall>`
    select account_id, id, url, workflow_id, step_id, subject_id, attempt, created_at
    from workflow_http_calls
    where account_id = ${accountId} and step_id = ${stepId} and state = 'due' and next_at <= ${now}
    order by next_at, id limit ${limit}`.execute(db);
  return rows;
}

export type CallOutcome = {
  id: number;
  state: 'due' | 'delivered' | 'failed';
  nextAt: Date;
  status: number | null;
  response: string;
};

export async function saveCallOutcomes(
  tx: Tx,
  accountId: number,
  outcomes: readonly CallOutcome[],
): Promise<void> {
  await sql`
    update workflow_http_calls c set state = t.state, attempt = c.attempt + 1, next_at = t.next_at,
      http_status = t.status, answer = nullif(t.answer, '')
    from unnest(${outcomes.map((call) => call.id)}::bigint[],
      ${outcomes.map((call) => call.state)}::text[], ${outcomes.map((call) => call.nextAt)}::timestamptz[],
      ${outcomes.map((call) => call.status)}::smallint[], ${outcomes.map((call) => call.response)}::text[])
      t(id, state, next_at, status, answer)
    where c.account_id = ${accountId} and c.id = t.id`.execute(tx);
}

/** Deletes the calls about these subscribers, whose responses may contain their data. */
export async function deleteCallsAbout(
  tx: Tx,
  accountId: number,
  subscriberIds: readonly number[],
): Promise<void> {
  await sql`
    delete from workflow_http_calls
    where account_id = ${accountId} and subject_id = any(${[...subscriberIds]}::bigint[])`.execute(
    tx,
  );
}
