// SQL of outgoing webhooks: whom to tell, what is still to be told, and by which secret.
import { type Selectable, sql, type Updateable } from 'kysely';
import type { DB } from '#platform/server/database.generated.ts';
import type { Db, Reader, Tx } from '#platform/server/database.ts';
import type { Slice } from '#platform/server/lists.ts';
import type { Topic } from '../limits.ts';

export type EndpointRow = Selectable<DB['endpoints']>;

const own = (db: Reader, accountId: number) =>
  db.selectFrom('endpoints').selectAll().where('account_id', '=', accountId);

export function listEndpoints(db: Reader, accountId: number, { limit, offset }: Slice) {
  return own(db, accountId).orderBy('id', 'desc').limit(limit).offset(offset).execute();
}

export async function countEndpoints(db: Reader, accountId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from endpoints where account_id = ${accountId}`.execute(db);
  return rows[0]?.count ?? 0;
}

export function findEndpoint(db: Reader, accountId: number, id: number) {
  return own(db, accountId).where('id', '=', id).executeTakeFirst();
}

export function insertEndpoint(
  tx: Tx,
  accountId: number,
  row: { url: string; topic: Topic; group_id: number | null; at: Date },
): Promise<EndpointRow> {
  const { at, ...values } = row;
  return tx
    .insertInto('endpoints')
    .values({ account_id: accountId, ...values, created_at: at })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export function updateEndpoint(
  tx: Tx,
  accountId: number,
  id: number,
  changes: Updateable<DB['endpoints']>,
): Promise<EndpointRow | undefined> {
  return tx
    .updateTable('endpoints')
    .set(changes)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteEndpoint(tx: Tx, accountId: number, id: number): Promise<boolean> {
  const gone = await tx
    .deleteFrom('endpoints')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return gone !== undefined;
}

/** One row per endpoint that hears of it and subject, in the transaction that made it so. */
export async function addEvents(
  tx: Tx,
  accountId: number,
  fact: { topic: Topic; groupIds?: readonly number[]; subjectIds: readonly number[]; at: Date },
): Promise<void> {
  const ofGroup = fact.groupIds
    ? sql`e.group_id = any(${[...fact.groupIds]}::bigint[])`
    : sql`e.group_id is null`;
  await sql`
    insert into endpoint_events (account_id, endpoint_id, subject_id, next_at, created_at)
    select e.account_id, e.id, s.id, ${fact.at}::timestamptz, ${fact.at}::timestamptz
    from endpoints e cross join unnest(${[...fact.subjectIds]}::bigint[]) s(id)
    where e.account_id = ${accountId} and e.topic = ${fact.topic} and e.status <> 'DISABLED'
      and ${ofGroup}`.execute(tx);
}

export type Due = {
  account_id: number;
  id: number;
  endpoint_id: number;
  subject_id: number;
  attempt: number;
  topic: Topic;
  url: string;
  created_at: Date;
};

/** Across all accounts, by one elected worker: a few of each endpoint, so that a slow one holds up no other. */
export async function dueEvents(db: Db, now: Date, most: number, each: number): Promise<Due[]> {
  const { rows } = await sql<Due>`
    select account_id, id, endpoint_id, subject_id, attempt, topic, url, created_at from (
      select v.*, e.topic, e.url, row_number() over (partition by v.account_id, v.endpoint_id order by v.next_at, v.id) as place
      from (select * from endpoint_events where state = 'due' and next_at <= ${now}
        order by next_at limit ${most * 20}) v
      join endpoints e on e.account_id = v.account_id and e.id = v.endpoint_id and e.status = 'ACTIVE') due
    where place <= ${each} limit ${most}`.execute(db);
  return rows;
}

export type Told = {
  id: number;
  state: 'due' | 'delivered' | 'failed';
  nextAt: Date;
  status: number | null;
  answer: string;
};

/** The answers of one endpoint, and its figures with them. */
export async function writeAnswers(
  tx: Tx,
  accountId: number,
  endpointId: number,
  told: readonly Told[],
  figures: { ms: number; failures: number; failingSince: Date | null; disable: boolean },
): Promise<void> {
  await sql`
    update endpoint_events v set state = t.state, attempt = v.attempt + 1, next_at = t.next_at,
      status = t.status, answer = nullif(t.answer, '')
    from unnest(${told.map((one) => one.id)}::bigint[], ${told.map((one) => one.state)}::text[],
      ${told.map((one) => one.nextAt)}::timestamptz[], ${told.map((one) => one.status)}::smallint[],
      ${told.map((one) => one.answer)}::text[]) t(id, state, next_at, status, answer)
    where v.account_id = ${accountId} and v.id = t.id`.execute(tx);
  await sql`
    update endpoints set total_deliveries = total_deliveries + ${told.length},
      total_failures = total_failures + ${figures.failures}, response_ms = response_ms + ${figures.ms},
      failing_since = case when ${figures.failingSince}::timestamptz is null then null
        else coalesce(failing_since, ${figures.failingSince}::timestamptz) end,
      status = case when ${figures.disable} then 'DISABLED' else status end
    where account_id = ${accountId} and id = ${endpointId}`.execute(tx);
}

export function listEvents(
  db: Reader,
  accountId: number,
  endpointId: number,
  { limit, offset }: Slice,
) {
  return db
    .selectFrom('endpoint_events')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('endpoint_id', '=', endpointId)
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countEvents(
  db: Reader,
  accountId: number,
  endpointId: number,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from endpoint_events
    where account_id = ${accountId} and endpoint_id = ${endpointId}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** What failed becomes due again; answers how many. */
export async function reviveEvents(
  tx: Tx,
  accountId: number,
  endpointId: number,
  at: Date,
): Promise<number> {
  const { rows } = await sql`
    update endpoint_events set state = 'due', attempt = 0, next_at = ${at}
    where account_id = ${accountId} and endpoint_id = ${endpointId} and state = 'failed'
    returning id`.execute(tx);
  return rows.length;
}

export function findSecret(db: Reader, accountId: number) {
  return db
    .selectFrom('signing_secrets')
    .selectAll()
    .where('account_id', '=', accountId)
    .executeTakeFirst();
}

export async function insertSecret(db: Reader, accountId: number, sealed: Buffer): Promise<void> {
  await sql`insert into signing_secrets (account_id, sealed) values (${accountId}, ${sealed})
    on conflict (account_id) do nothing`.execute(db);
}

export async function rotateSecret(
  tx: Tx,
  accountId: number,
  sealed: Buffer,
  formerUntil: Date,
): Promise<void> {
  await sql`update signing_secrets set former = sealed, former_until = ${formerUntil}, sealed = ${sealed}
    where account_id = ${accountId}`.execute(tx);
}
