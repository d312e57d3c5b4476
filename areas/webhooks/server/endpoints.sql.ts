// Queries for the endpoints of outgoing webhooks, for deliveries and their attempts, and for the
// signing secrets of accounts.
import { type Selectable, sql } from 'kysely';
import type { ListRequest } from '#platform/contract.ts';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import { acrossAccounts } from '#platform/server/database/across-accounts.sql.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Db, Reader, Tx } from '#platform/server/database/database.ts';
import {
  mentionsAddress,
  type SubscriberAddresses,
} from '#platform/server/database/address-search.sql.ts';
import { prepareLastStatement } from '#platform/server/database/prepared.ts';
import type { Slice } from '#platform/server/database/lists.ts';
import type { Topic } from '../shared.ts';
import { createTextFinder } from '#platform/server/erasure/texts.sql.ts';

/** Finds the addresses of erased subscribers in URLs of webhooks. */
export const findEndpointsNaming = createTextFinder('webhook_endpoints', {
  kind: 'endpoint',
  columns: ['url'],
});

export type EndpointRow = Selectable<DB['webhook_endpoints']>;

const endpointsOf = (db: Reader, accountId: number) =>
  db.selectFrom('webhook_endpoints').selectAll().where('account_id', '=', accountId);

type EndpointSort = Pick<ListRequest<'created' | 'title'>, 'order' | 'direction'>;
const orderColumns = { created: 'created_at', title: 'url' } as const;

/** Lists endpoints, newest first by default. */
export function listEndpoints(
  db: Reader,
  accountId: number,
  { limit, offset }: Slice,
  { order, direction }: EndpointSort = { order: 'created', direction: 'desc' },
) {
  return endpointsOf(db, accountId)
    .orderBy(orderColumns[order], direction)
    .orderBy('id', direction)
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countEndpoints(db: Reader, accountId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from webhook_endpoints where account_id = ${accountId}`.execute(db);
  return rows[0]?.count ?? 0;
}

export function findEndpoint(db: Reader, accountId: number, id: number) {
  return endpointsOf(db, accountId).where('id', '=', id).executeTakeFirst();
}

export function insertEndpoint(
  tx: Tx,
  accountId: number,
  row: { url: string; topic: Topic; group_id: number | null; at: Date },
): Promise<EndpointRow> {
  const { at, ...values } = row;
  topicsByTx.delete(tx);
  return tx
    .insertInto('webhook_endpoints')
    .values({ account_id: accountId, ...values, created_at: at })
    .returningAll()
    .executeTakeFirstOrThrow();
}

const { updateReturning, delete: deleteEndpoint } = accountTable('webhook_endpoints', 'id');
export { deleteEndpoint };

export const updateEndpoint: typeof updateReturning = (tx, ...change) => {
  topicsByTx.delete(tx);
  return updateReturning(tx, ...change);
};

export type WebhookEvents = {
  topic: Topic;
  groupId?: number;
  /** Id of each event's subject; 0 for an event without one. */
  subjectIds: readonly number[];
  /** Further data of each event, in the order of `subjectIds`. */
  details?: readonly object[];
  at: Date;
};

export type AddedEvent = Pick<
  DueDelivery,
  'account_id' | 'id' | 'topic' | 'subject_id' | 'details'
>;

/**
 * Adds one delivery per subject to each endpoint that has the topic and is not disabled. An event
 * about a group is delivered to the endpoints of that group, any other event to the endpoints
 * without a group. Runs in the transaction of the change.
 */
export async function insertEvents(
  tx: Tx,
  accountId: number,
  events: WebhookEvents,
): Promise<AddedEvent[]> {
  const ofGroup =
    events.groupId === undefined ? sql`e.group_id is null` : sql`e.group_id = ${events.groupId}`;
  const details = (events.details ?? []).map((detail) => JSON.stringify(detail));
  const { rows } = await sql<AddedEvent>`
    insert into webhook_deliveries
      (account_id, endpoint_id, topic, subject_id, details, next_at, created_at)
    select e.account_id, e.id, e.topic, s.id, s.details::jsonb, ${events.at}::timestamptz,
      ${events.at}::timestamptz
    from webhook_endpoints e
    cross join unnest(${[...events.subjectIds]}::bigint[], ${details}::text[]) s(id, details)
    where e.account_id = ${accountId} and e.topic = ${events.topic} and e.status <> 'DISABLED'
      and ${ofGroup}
    returning account_id, id, topic, subject_id, details`.execute(tx);
  return rows;
}

/**
 * Adds an event to the endpoints of its topic when its body is already known. The statement is sent
 * together with COMMIT. It joins its values as a row because a cluster would otherwise read the
 * endpoints of all accounts.
 */
export const insertLastEvent = prepareLastStatement<{
  accountId: number;
  topic: Topic;
  body: string;
  at: Date;
}>(
  (event) => sql`
    insert into webhook_deliveries
      (account_id, endpoint_id, topic, subject_id, body, next_at, created_at)
    select e.account_id, e.id, e.topic, 0, v.body, v.at, v.at
    from webhook_endpoints e
    cross join (select ${event.body}::text as body, ${event.at}::timestamptz as at) v
    where e.account_id = ${event.accountId} and e.topic = ${event.topic} and e.status <> 'DISABLED'`,
);

export async function saveBodies(
  tx: Tx,
  accountId: number,
  bodies: ReadonlyMap<number, string>,
): Promise<void> {
  await sql`
    update webhook_deliveries v set body = t.body
    from unnest(${[...bodies.keys()]}::bigint[], ${[...bodies.values()]}::text[]) t(id, body)
    where v.account_id = ${accountId} and v.id = t.id`.execute(tx);
}

/**
 * Deletes all deliveries about these subscribers, completed or not, with their attempts.
 * `otherTopics` are the topics whose subjects are not subscribers.
 */
export async function deleteSubscriberEvents(
  tx: Tx,
  accountId: number,
  subscriberIds: readonly number[],
  otherTopics: readonly Topic[],
): Promise<void> {
  await sql`
    delete from webhook_deliveries
    where account_id = ${accountId} and subject_id = any(${[...subscriberIds]}::bigint[])
      and topic <> all(${[...otherTopics]}::text[])`.execute(tx);
}

/**
 * Deletes all deliveries of these topics, completed or not, that contain one of the addresses, and
 * their attempts.
 */
export async function deleteEventsNaming(
  tx: Tx,
  accountId: number,
  topics: readonly Topic[],
  naming: SubscriberAddresses,
): Promise<void> {
  await sql`
    delete from webhook_deliveries
    where account_id = ${accountId} and topic = any(${[...topics]}::text[])
      and ${mentionsAddress(sql`concat_ws(' ', body, details)`, naming)}`.execute(tx);
}

const topicsByTx = new WeakMap<Tx, Map<number, Promise<ReadonlySet<string>>>>();

/**
 * Returns the topics of the account's endpoints that are not disabled. They are read once per
 * transaction, because one change may cause several events and most accounts have no endpoint.
 */
function topicsOf(tx: Tx, accountId: number): Promise<ReadonlySet<string>> {
  const byAccount = topicsByTx.get(tx) ?? new Map<number, Promise<ReadonlySet<string>>>();
  topicsByTx.set(tx, byAccount);
  const topics = byAccount.get(accountId) ?? readTopics(tx, accountId);
  byAccount.set(accountId, topics);
  return topics;
}

async function readTopics(tx: Tx, accountId: number): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ topic: string }>`
    select topic from webhook_endpoints where account_id = ${accountId} and status <> 'DISABLED'`.execute(
    tx,
  );
  return new Set(rows.map(({ topic }) => topic));
}

/**
 * Returns true if an endpoint that is not disabled has one of these topics. Callers check this
 * before they build events because an email to a million subscribers causes many.
 */
export async function hasEndpointFor(
  tx: Tx,
  accountId: number,
  topics: readonly Topic[],
): Promise<boolean> {
  const topicsOfAccount = await topicsOf(tx, accountId);
  return topics.some((topic) => topicsOfAccount.has(topic));
}

/**
 * Returns true if the transaction has read the topics of endpoints, and this one was not among
 * them.
 */
export async function lacksEndpointFor(tx: Tx, accountId: number, topic: Topic): Promise<boolean> {
  const topicsOfAccount = await topicsByTx.get(tx)?.get(accountId);
  return topicsOfAccount !== undefined && !topicsOfAccount.has(topic);
}

/** Adds a test delivery to one endpoint and returns its id. */
export async function addTest(
  tx: Tx,
  accountId: number,
  row: { endpointId: number; topic: Topic; details: object; at: Date },
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into webhook_deliveries (account_id, endpoint_id, topic, subject_id, details, next_at, created_at)
    values (${accountId}, ${row.endpointId}, ${row.topic}, 0, ${JSON.stringify(row.details)}::jsonb,
      ${row.at}, ${row.at})
    returning id`.execute(tx);
  return (rows[0] as { id: number }).id;
}

export type DueDelivery = {
  account_id: number;
  id: number;
  endpoint_id: number;
  subject_id: number;
  attempt: number;
  topic: Topic;
  details: Record<string, unknown> | null;
  /**
   * Null for test deliveries, for events whose object was deleted before the commit, and for events
   * from before bodies were stored.
   */
  body: string | null;
  url: string;
  /** Time as text, because a `Date` would lose its microseconds. */
  due_at: string;
};

/**
 * Lists active endpoints with due deliveries across all accounts. Runs on one elected worker. The
 * subquery reads only the oldest delivery of each endpoint: `offset` prevents a join, which would
 * read the whole backlog (a second for a million deliveries).
 */
export async function listWaitingEndpoints(
  db: Db,
  now: Date,
): Promise<{ account_id: number; id: number }[]> {
  return acrossAccounts(
    db,
    (scope) => sql<{ account_id: number; id: number }>`
      select e.account_id, e.id from webhook_endpoints e
      where e.status = 'ACTIVE' and ${scope(sql`e.account_id`)} and exists (
        select 1 from webhook_deliveries d
        where d.account_id = e.account_id and d.endpoint_id = e.id and d.state = 'due'
          and d.next_at <= ${now} and ${scope(sql`d.account_id`)}
        order by d.next_at offset 0)`,
  );
}

/** Position of a delivery in the reading order of its endpoint's deliveries. */
type DeliveryCursor = { nextAt: string; id: number };

/** Lists the oldest due deliveries of one endpoint, after a position if one is given. */
export async function listDueDeliveries(
  db: Db,
  accountId: number,
  endpointId: number,
  { now, limit, after }: { now: Date; limit: number; after?: DeliveryCursor | undefined },
): Promise<DueDelivery[]> {
  const behind = after
    ? sql`(v.next_at, v.id) > (${after.nextAt}::timestamptz, ${after.id}::bigint)`
    : sql`true`;
  const { rows } = await sql<DueDelivery>`
    select e.account_id, v.id, v.endpoint_id, v.subject_id, v.attempt,
      v.topic, v.details, v.body, e.url, v.next_at::text as due_at
    from webhook_deliveries v
    join webhook_endpoints e on e.account_id = v.account_id and e.id = v.endpoint_id
    where v.account_id = ${accountId} and v.endpoint_id = ${endpointId} and v.state = 'due'
      and v.next_at <= ${now} and ${behind}
    order by v.next_at, v.id limit ${limit}`.execute(db);
  return rows;
}

export type DeliveryAttempt = {
  id: number;
  state: 'due' | 'delivered' | 'failed';
  nextAt: Date;
  at: Date;
  durationMs: number;
  status: number | null;
  body: string;
  response: string;
};

/** Writes the results of attempts, logs the attempts, and updates the counts and state of their endpoint. */
export async function saveAttempts(
  tx: Tx,
  accountId: number,
  endpointId: number,
  attempts: readonly DeliveryAttempt[],
  totals: {
    durationMs: number;
    failures: number;
    failingSince: Date | null;
    shouldDisable: boolean;
  },
): Promise<void> {
  const settlement = await sql<{ id: number }>`
    update webhook_deliveries v set state = t.state, attempt = v.attempt + 1, next_at = t.next_at,
      http_status = t.status, answer = nullif(t.answer, ''),
      settled_at = case when t.state = 'due' then null else t.at end
    from unnest(${attempts.map((attempt) => attempt.id)}::bigint[], ${attempts.map((attempt) => attempt.state)}::text[],
      ${attempts.map((attempt) => attempt.nextAt)}::timestamptz[], ${attempts.map((attempt) => attempt.status)}::smallint[],
      ${attempts.map((attempt) => attempt.response)}::text[], ${attempts.map((attempt) => attempt.at)}::timestamptz[])
      t(id, state, next_at, status, answer, at)
    where v.account_id = ${accountId} and v.id = t.id
    returning v.id`.execute(tx);
  const ids = new Set(settlement.rows.map((row) => row.id));
  const loggedAttempts = attempts.filter((attempt) => ids.has(attempt.id));
  await sql`
    insert into webhook_attempts (account_id, event_id, at, http_status, ms, body, answer)
    select ${accountId}::bigint, t.id, t.at, t.status, t.ms, t.body, t.answer
    from unnest(${loggedAttempts.map((attempt) => attempt.id)}::bigint[], ${loggedAttempts.map((attempt) => attempt.at)}::timestamptz[],
      ${loggedAttempts.map((attempt) => attempt.status)}::smallint[], ${loggedAttempts.map((attempt) => attempt.durationMs)}::int[],
      ${loggedAttempts.map((attempt) => attempt.body)}::text[], ${loggedAttempts.map((attempt) => attempt.response)}::text[])
      t(id, at, status, ms, body, answer)`.execute(tx);
  await sql`
    update webhook_endpoints set total_deliveries = total_deliveries + ${attempts.length},
      total_failures = total_failures + ${totals.failures}, response_ms = response_ms + ${totals.durationMs},
      failing_since = case when ${totals.failingSince}::timestamptz is null then null
        else coalesce(failing_since, ${totals.failingSince}::timestamptz) end,
      status = case when ${totals.shouldDisable} then 'DISABLED' else status end
    where account_id = ${accountId} and id = ${endpointId}`.execute(tx);
}

type DeliveryFilter = { state?: 'due' | 'delivered' | 'failed' | undefined };

export function listDeliveries(
  db: Reader,
  accountId: number,
  endpointId: number,
  { limit, offset, state }: Slice & DeliveryFilter,
) {
  return db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('endpoint_id', '=', endpointId)
    .$if(state !== undefined, (query) => query.where('state', '=', state as string))
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
}

export const { find: findDelivery } = accountTable('webhook_deliveries', 'endpoint_id', 'id');

export function listAttempts(db: Reader, accountId: number, eventId: number) {
  return db
    .selectFrom('webhook_attempts')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('event_id', '=', eventId)
    .orderBy('id', 'desc')
    .limit(50)
    .execute();
}

export async function countDeliveries(
  db: Reader,
  accountId: number,
  endpointId: number,
  { state }: DeliveryFilter = {},
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from webhook_deliveries
    where account_id = ${accountId} and endpoint_id = ${endpointId}
      and (${state ?? null}::text is null or state = ${state ?? null})`.execute(db);
  return rows[0]?.count ?? 0;
}

export type Redelivery = {
  /** Id of a single delivery, in any state. */
  id?: number | undefined;
  /**
   * A range selects the completed deliveries that were created in it. Without an id and a range,
   * all failed deliveries are selected.
   */
  from?: Date | undefined;
  to?: Date | undefined;
};

/** Makes the chosen deliveries due again and returns their number. */
export async function redeliverEvents(
  tx: Tx,
  accountId: number,
  endpointId: number,
  { id, from, to }: Redelivery,
  at: Date,
): Promise<number> {
  const condition =
    id !== undefined
      ? sql`id = ${id}`
      : from || to
        ? sql`state <> 'due' and created_at >= coalesce(${from ?? null}::timestamptz, '-infinity')
            and created_at <= coalesce(${to ?? null}::timestamptz, 'infinity')`
        : sql`state = 'failed'`;
  const { rows } = await sql`
    update webhook_deliveries set state = 'due', attempt = 0, next_at = ${at}, settled_at = null
    where account_id = ${accountId} and endpoint_id = ${endpointId} and ${condition}
    returning id`.execute(tx);
  return rows.length;
}

/** Lists at most 1,000 accounts with deliveries that were completed before this time. */
export async function listAccountsToClear(db: Db, before: Date): Promise<number[]> {
  const rows = await acrossAccounts(
    db,
    (scope) => sql<{ account_id: number }>`
      select distinct account_id from webhook_deliveries
      where settled_at < ${before} and ${scope(sql`account_id`)} limit 1000`,
  );
  return rows.map((row) => row.account_id);
}

/**
 * Deletes up to `limit` deliveries that were completed before this time and returns their number.
 */
export async function deleteOldDeliveries(
  tx: Tx,
  accountId: number,
  before: Date,
  limit: number,
): Promise<number> {
  const { rows } = await sql`
    delete from webhook_deliveries where account_id = ${accountId} and id in (
      select id from webhook_deliveries where account_id = ${accountId} and settled_at < ${before}
      limit ${limit}) returning id`.execute(tx);
  return rows.length;
}

export const { find: findSecret } = accountTable('webhook_secrets');

export async function insertSecret(
  db: Reader,
  accountId: number,
  sealedSecret: Buffer,
): Promise<void> {
  await sql`insert into webhook_secrets (account_id, sealed) values (${accountId}, ${sealedSecret})
    on conflict (account_id) do nothing`.execute(db);
}

export async function rotateSecret(
  tx: Tx,
  accountId: number,
  sealedSecret: Buffer,
  formerUntil: Date,
): Promise<void> {
  await sql`update webhook_secrets set former = sealed, former_until = ${formerUntil}, sealed = ${sealedSecret}
    where account_id = ${accountId}`.execute(tx);
}
