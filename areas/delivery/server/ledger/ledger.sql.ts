// Queries for the ledger's leases: acquiring, renewing and releasing them, starting and withdrawing
// handoffs, and settling handoffs of lost senders. Every statement that starts handoffs reads the
// subscribers' statuses and the suppression list in the same snapshot, so it respects every
// unsubscribe committed before.
import { type RawBuilder, sql } from 'kysely';
import { suppressionHashPads } from '#areas/subscribers/server/index.ts';
import type { Db, Reader, Tx } from '#platform/server/database/database.ts';
import { type StatementValue, prepareStatement } from '#platform/server/database/prepared.ts';
import type { MessageChannel } from '../../message-kinds.ts';
import { ADDRESS, getStatusChannel, selectStatus } from '../channels/addresses.sql.ts';
import { isSuppressed } from './selection.sql.ts';
import { TIER, WAVE } from './lanes.ts';
import { isInScope, type Scope } from './open-messages.sql.ts';

export type LeaseRow = { lane: number; from_ordinal: number; to_ordinal: number };

/** A leased range, with the end of its lane's wave, if any. */
export type LeasedRow = LeaseRow & { closes_at: Date | null };

/** SQL condition: the wave of the lane `l` is open. */
const isWaveOpen = (now: Date) => sql`(l.opens_at is null or l.opens_at <= ${now})
  and (l.closes_at is null or l.closes_at > ${now})`;

/**
 * Leases a released range, or else the next range of a lane. Lanes of engaged subscribers come
 * first, then lanes of earlier waves. Among lanes of the same rank, the lane with the least
 * progress gets the next range. The lanes in `excludedLanes` and the lanes of `fullMailboxes` are
 * not leased.
 */
export async function leaseRange(
  tx: Tx,
  accountId: number,
  messageId: number,
  lease: {
    scope: Scope;
    size: number;
    owner: string;
    now: Date;
    leasedUntil: Date;
    excludedLanes: readonly number[];
    fullMailboxes: readonly number[];
  },
): Promise<LeasedRow | undefined> {
  const isUsable = (
    lane: RawBuilder<unknown>,
  ) => sql`${lane} <> all(${[...lease.excludedLanes]}::smallint[])
    and ${lane} % ${TIER}::int <> all(${[...lease.fullMailboxes]}::int[])
    and ${isInScope(lease.scope, sql`${accountId}::bigint`)}`;
  const order = (lane: RawBuilder<unknown>) =>
    sql`${lane} / ${TIER}::int % 2, ${lane} / ${WAVE}::int`;
  const free = await sql<LeasedRow>`
    with free as materialized (
      select f.lane, f.from_ordinal, l.closes_at from leases f
      left join lanes l on l.account_id = ${accountId} and l.message_id = ${messageId}
        and l.lane = f.lane
      where f.account_id = ${accountId} and f.message_id = ${messageId} and not f.is_done
        and f.owner = '' and ${isUsable(sql`f.lane`)} and ${isWaveOpen(lease.now)}
      order by ${order(sql`f.lane`)}, f.from_ordinal limit 1 for update of f skip locked
    )
    update leases l set owner = ${lease.owner}, expires_at = ${lease.leasedUntil}
    from free
    where l.account_id = ${accountId} and l.message_id = ${messageId} and l.lane = free.lane
      and l.from_ordinal = free.from_ordinal
    returning l.lane, l.from_ordinal, l.to_ordinal, free.closes_at`.execute(tx);
  if (free.rows[0]) return free.rows[0];
  const next = await sql<{
    lane: number;
    leased: number;
    last_ordinal: number;
    closes_at: Date | null;
  }>`
    select l.lane, l.leased, least(l.written, l.leased + ${lease.size}::int) as last_ordinal, l.closes_at
    from lanes l
    where l.account_id = ${accountId} and l.message_id = ${messageId} and l.leased < l.written
      and ${isUsable(sql`l.lane`)} and ${isWaveOpen(lease.now)}
    order by ${order(sql`l.lane`)}, l.leased::float8 / l.written, l.lane
    limit 1 for update skip locked`.execute(tx);
  const row = next.rows[0];
  return row && insertLease(tx, accountId, messageId, lease, row);
}

/**
 * Leases the rest of a locked lane up to `last_ordinal`. It uses two statements because a cluster
 * would pass an intermediate result between the two writes of one statement.
 */
async function insertLease(
  tx: Tx,
  accountId: number,
  messageId: number,
  { owner, leasedUntil }: { owner: string; leasedUntil: Date },
  {
    lane,
    leased,
    last_ordinal: lastOrdinal,
    closes_at,
  }: { lane: number; leased: number; last_ordinal: number; closes_at: Date | null },
): Promise<LeasedRow> {
  await sql`
    update lanes set leased = ${lastOrdinal}
    where account_id = ${accountId} and message_id = ${messageId} and lane = ${lane}`.execute(tx);
  await sql`
    insert into leases
      (account_id, message_id, lane, from_ordinal, to_ordinal, started_to, owner, expires_at)
    values (${accountId}, ${messageId}, ${lane}, ${leased + 1}, ${lastOrdinal}, ${leased}, ${owner},
      ${leasedUntil})`.execute(tx);
  return { lane, from_ordinal: leased + 1, to_ordinal: lastOrdinal, closes_at };
}

/**
 * A recipient whose handoff starts. `skip_reason` is the reason to send nothing; empty if there is
 * none.
 */
export type StartedRow = {
  ordinal: number;
  subscriber_id: number;
  email: string | null;
  firstname: string | null;
  lastname: string | null;
  phone: string | null;
  field_values: unknown;
  skip_reason: string;
};

export type DeferredRow = StartedRow & {
  lane: number;
  attempt: number;
  strikes: number;
  first_at: Date;
};

type StepForm = { channel: MessageChannel; isMarketing: boolean; needsFields: boolean };
type PeopleOptions = StepForm & {
  accountId: StatementValue<number>;
  now: StatementValue<Date>;
  inner: StatementValue<Buffer>;
  outer: StatementValue<Buffer>;
};

/**
 * SQL: joins rows of recipients `r` with the current data of their subscribers. LIMIT forces every
 * plan to do one index lookup per subscriber.
 */
function recipientsOf(options: PeopleOptions): RawBuilder<unknown> {
  const { accountId } = options;
  const channel = getStatusChannel(options.channel, options.isMarketing);
  const status = selectStatus(channel);
  const { key } = ADDRESS[options.channel];
  // An SMS is sent to the normalized number, not to the number as entered.
  const phone = options.channel === 'sms' ? sql`s.phone_key` : sql`s.phone`;
  return sql`
    left join lateral (
      select s.email, s.firstname, s.lastname, ${phone} as phone,
        ${fieldsOf(options)} as field_values,
        case when s.erased_at is not null then 'erased'
          when s.deleted_at is not null then 'deleted'
          when ${key} is null then 'no_address'
          when ${status} = 'non-subscribed' then 'non_subscribed'
          when ${status} <> 'active' then ${status}::text
          ${options.isMarketing ? sql`when s.paused_until > ${options.now} then 'paused'` : sql``}
          when ${isSuppressed(accountId, channel, options)} then 'suppressed'
          else '' end as skip_reason
      from subscribers s where s.account_id = ${accountId} and s.id = r.subscriber_id limit 1
    ) s on true`;
}

/**
 * Keys in the field values of SMS recipients for the subscriber's location, which decides when SMS
 * may be sent. No field ID equals them.
 */
export const LOCATION_FIELDS = { zone: '@zone', country: '@country' } as const;

function fieldsOf({ channel, needsFields }: StepForm): RawBuilder<unknown> {
  const fieldValues = needsFields ? sql`s.field_values` : sql`null::jsonb`;
  if (channel === 'email') return fieldValues;
  return sql`(coalesce(${fieldValues}, '{}') || jsonb_build_object('@zone', s.timezone, '@country', s.country))`;
}

const RECIPIENT_COLUMNS = sql`r.subscriber_id, s.email, s.firstname, s.lastname, s.phone, s.field_values,
  coalesce(s.skip_reason, 'deleted') as skip_reason`;

type Text = string | null;
/** The ordinal, then the columns in the order of RECIPIENT_COLUMNS. */
type StepColumns = [number, number, Text, Text, Text, Text, unknown, string];

function stepRowOf(columns: StepColumns): StartedRow {
  const [ordinal, subscriber_id, email, firstname, lastname, phone, field_values, skip_reason] =
    columns;
  return { ordinal, subscriber_id, email, firstname, lastname, phone, field_values, skip_reason };
}

export type StepOptions = StepForm & { scope: Scope; owner: string; now: Date; leasedUntil: Date };

/**
 * Lists all ordinals, although they are consecutive. If only the bounds of the range were passed,
 * the planner would assume a fraction of the whole lane, consider a plan for the actual values
 * cheaper, and therefore plan each execution again, which takes 0.3 ms.
 */
function ordinalsOf({ after, lastOrdinal }: { after: number; lastOrdinal: number }): string {
  return `{${Array.from({ length: lastOrdinal - after }, (_, i) => after + 1 + i).join(',')}}`;
}

type StepValues = {
  accountId: number;
  messageId: number;
  lane: number;
  from: number;
  after: number;
  lastOrdinal: number;
  ordinals: string;
  owner: string;
  now: Date;
  leasedUntil: Date;
  inner: Buffer;
  outer: Buffer;
};

const stepStatement = (form: StepForm) =>
  prepareStatement<StepValues>(
    (v) => sql`
    with lease as materialized (
      update leases l set started_to = ${v.lastOrdinal}, expires_at = ${v.leasedUntil}
      where l.account_id = ${v.accountId} and l.message_id = ${v.messageId}
        and l.lane = ${v.lane} and l.from_ordinal = ${v.from}
        and l.started_to = ${v.after} and l.owner = ${v.owner}
        and l.expires_at > ${v.now} and not l.is_done
        and exists (select 1 from messages m where m.account_id = ${v.accountId}
          and m.id = ${v.messageId} and m.state in ('preparing', 'sending', 'waiting'))
      returning l.account_id
    )
    select r.ordinal, ${RECIPIENT_COLUMNS}
    from lease
    join recipients r on r.account_id = ${v.accountId} and r.message_id = ${v.messageId}
      and r.lane = ${v.lane} and r.ordinal = any(${v.ordinals}::int[])
    ${recipientsOf({ accountId: v.accountId, now: v.now, inner: v.inner, outer: v.outer, ...form })}
    order by r.ordinal`,
  );

const steps = new Map<string, ReturnType<typeof stepStatement>>();

/** Returns the statement for this kind of message, which is prepared once. */
function stepFor({ channel, isMarketing, needsFields }: StepForm) {
  const key = `${channel}/${isMarketing}/${needsFields}`;
  let step = steps.get(key);
  if (!step) {
    step = stepStatement({ channel, isMarketing, needsFields });
    steps.set(key, step);
  }
  return step;
}

/**
 * Starts the handoffs of the ordinals from `after` + 1 to `lastOrdinal` of a leased range: they
 * count as started once committed. Returns no rows if the lease has expired or has another owner,
 * or if the message was stopped. Takes 2 ms for 400 rows.
 */
export async function startRange(
  db: Reader,
  accountId: number,
  messageId: number,
  range: { lane: number; from: number; after: number; lastOrdinal: number },
  options: StepOptions,
): Promise<StartedRow[]> {
  const { owner, now, leasedUntil } = options;
  const { inner, outer } = suppressionHashPads();
  const rows = await stepFor(options)(db, {
    ...{ accountId, messageId, owner, now, leasedUntil, inner, outer },
    ...{ ...range, ordinals: ordinalsOf(range) },
  });
  return (rows as StepColumns[]).map(stepRowOf);
}

/** Leases deferred recipients that are due and starts their next attempts. */
export async function startDeferred(
  db: Reader,
  accountId: number,
  messageId: number,
  limit: number,
  options: StepOptions,
): Promise<DeferredRow[]> {
  const { rows } = await sql<DeferredRow>`
    with due as materialized (
      select lane, ordinal from deferrals
      where account_id = ${accountId} and message_id = ${messageId} and owner is null
        and next_attempt_at <= ${options.now} and ${isInScope(options.scope, sql`${accountId}::bigint`)}
        and exists (select 1 from messages m where m.account_id = ${accountId}
          and m.id = ${messageId} and m.state in ('preparing', 'sending', 'waiting'))
      order by next_attempt_at limit ${limit} for update skip locked
    ), begun as materialized (
      update deferrals d set owner = ${options.owner}, expires_at = ${options.leasedUntil},
        attempt = d.attempt + 1
      from due
      where d.account_id = ${accountId} and d.message_id = ${messageId} and d.lane = due.lane
        and d.ordinal = due.ordinal
      returning d.lane, d.ordinal, d.attempt, d.strikes, d.first_at
    )
    select b.lane, b.ordinal, b.attempt, b.strikes, b.first_at, ${RECIPIENT_COLUMNS}
    from begun b
    join recipients r on r.account_id = ${accountId} and r.message_id = ${messageId}
      and r.lane = b.lane and r.ordinal = b.ordinal
    ${recipientsOf({ accountId, ...suppressionHashPads(), ...options })}`.execute(db);
  return rows;
}

/**
 * Withdraws a lease's last started handoffs, for which no byte can have been sent. Returns false if
 * the lease has changed.
 */
export async function withdrawRange(
  tx: Tx,
  accountId: number,
  messageId: number,
  range: { lane: number; from: number; startedTo: number; resetTo: number },
  owner: string,
): Promise<boolean> {
  const row = await tx
    .updateTable('leases')
    .set({ started_to: range.resetTo })
    .where('account_id', '=', accountId)
    .where('message_id', '=', messageId)
    .where('lane', '=', range.lane)
    .where('from_ordinal', '=', range.from)
    .where('started_to', '=', range.startedTo)
    .where('owner', '=', owner)
    .where('is_done', '=', false)
    .returning('lane')
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Withdraws started retries for which no byte can have been sent, and makes them due again at `at`.
 */
export async function withdrawDeferred(
  tx: Tx,
  accountId: number,
  messageId: number,
  rows: readonly { lane: number; ordinal: number }[],
  owner: string,
  at: Date,
): Promise<void> {
  await sql`
    update deferrals d set owner = null, expires_at = null, attempt = d.attempt - 1,
      next_attempt_at = ${at}
    from unnest(${rows.map((row) => row.lane)}::smallint[], ${rows.map((row) => row.ordinal)}::int[])
      b(lane, ordinal)
    where d.account_id = ${accountId} and d.message_id = ${messageId} and d.lane = b.lane
      and d.ordinal = b.ordinal and d.owner = ${owner}`.execute(tx);
}

/**
 * Finishes a lease whose started recipients all have a result and releases its other recipients. If
 * more recipients were started than the owner knows of, because it did not receive the response to
 * a commit, the lease stays open until `settleLost` settles it.
 */
export async function releaseRange(
  tx: Tx,
  accountId: number,
  messageId: number,
  range: { lane: number; from: number; startedTo: number; to: number },
  owner: string,
): Promise<void> {
  const key = sql`account_id = ${accountId} and message_id = ${messageId} and lane = ${range.lane}
    and from_ordinal = ${range.from} and owner = ${owner} and not is_done`;
  if (range.startedTo < range.from) {
    await sql`update leases set owner = '' where ${key}
      and started_to = ${range.startedTo}`.execute(tx);
    return;
  }
  await sql`
    with closed as (
      update leases set to_ordinal = ${range.startedTo}, is_done = true
      where ${key} and started_to = ${range.startedTo}
      returning expires_at
    )
    insert into leases
      (account_id, message_id, lane, from_ordinal, to_ordinal, started_to, owner, expires_at)
    select ${accountId}::bigint, ${messageId}::bigint, ${range.lane}::smallint,
      ${range.startedTo}::int + 1, ${range.to}::int, ${range.startedTo}::int, '', expires_at
    from closed where ${range.startedTo}::int < ${range.to}::int`.execute(tx);
}

export async function renewRangeLeases(
  db: Db,
  accountId: number,
  messageId: number,
  leases: readonly { lane: number; from: number }[],
  owner: string,
  leasedUntil: Date,
): Promise<void> {
  await sql`
    update leases l set expires_at = ${leasedUntil}
    from unnest(${leases.map((l) => l.lane)}::smallint[], ${leases.map((l) => l.from)}::int[])
      b(lane, from_ordinal)
    where l.account_id = ${accountId} and l.message_id = ${messageId} and l.lane = b.lane
      and l.from_ordinal = b.from_ordinal and l.owner = ${owner} and not l.is_done`.execute(db);
}

export async function renewDeferredLeases(
  db: Db,
  accountId: number,
  messageId: number,
  rows: readonly { lane: number; ordinal: number }[],
  owner: string,
  leasedUntil: Date,
): Promise<void> {
  await sql`
    update deferrals d set expires_at = ${leasedUntil}
    from unnest(${rows.map((row) => row.lane)}::smallint[], ${rows.map((row) => row.ordinal)}::int[])
      b(lane, ordinal)
    where d.account_id = ${accountId} and d.message_id = ${messageId} and d.lane = b.lane
      and d.ordinal = b.ordinal and d.owner = ${owner}`.execute(db);
}

/**
 * Settles the message's expired leases: started handoffs without a result become unknown, and
 * recipients without a started handoff can be leased again. Returns the number of handoffs that
 * became unknown, and the lanes of those that were retries of deferred recipients.
 */
export async function settleLost(
  tx: Tx,
  accountId: number,
  messageId: number,
  now: Date,
): Promise<{ unknownCount: number; deferredLanes: number[] }> {
  const key = sql`account_id = ${accountId} and message_id = ${messageId}`;
  const lostLeases = await sql<LeaseRow & { started_to: number }>`
    select lane, from_ordinal, to_ordinal, started_to from leases
    where ${key} and not is_done and owner <> '' and expires_at < ${now}
    for update skip locked`.execute(tx);
  let unknown = 0;
  for (const lease of lostLeases.rows) {
    // Counts the returned rows: on a cluster the command tag also counts existing rows.
    const { rows } = await sql`
      insert into results (account_id, message_id, lane, ordinal, attempt, state, at, reason)
      select ${accountId}::bigint, ${messageId}::bigint, ${lease.lane}::smallint, o, 1, 'unknown',
        ${now}, 'sender_lost'
      from generate_series(${lease.from_ordinal}::int, ${lease.started_to}::int) o
      on conflict (account_id, message_id, lane, ordinal, attempt) do nothing
      returning ordinal`.execute(tx);
    unknown += rows.length;
    const { lane, from_ordinal: from, started_to: startedTo, to_ordinal: to } = lease;
    await sql`update leases set owner = '' where ${key} and lane = ${lane}
      and from_ordinal = ${from}`.execute(tx);
    await releaseRange(tx, accountId, messageId, { lane, from, startedTo, to }, '');
  }
  const deferredLanes = await sql<{ lane: number }>`
    with lost as materialized (
      select lane, ordinal, attempt from deferrals
      where ${key} and owner is not null and expires_at < ${now} for update skip locked
    ), gone as (
      delete from deferrals d using lost where d.account_id = ${accountId}
        and d.message_id = ${messageId} and d.lane = lost.lane and d.ordinal = lost.ordinal
    )
    insert into results (account_id, message_id, lane, ordinal, attempt, state, at, reason)
    select ${accountId}::bigint, ${messageId}::bigint, lane, ordinal, attempt, 'unknown', ${now},
      'sender_lost'
    from lost
    on conflict (account_id, message_id, lane, ordinal, attempt) do nothing
    returning lane`.execute(tx);
  const lanes = deferredLanes.rows.map((row) => row.lane);
  return { unknownCount: unknown + lanes.length, deferredLanes: lanes };
}

export async function finishLeases(
  db: Db,
  accountId: number,
  messageId: number,
  leases: readonly { lane: number; from: number }[],
  owner: string,
): Promise<void> {
  await sql`
    update leases l set is_done = true
    from unnest(${leases.map((l) => l.lane)}::smallint[], ${leases.map((l) => l.from)}::int[])
      b(lane, from_ordinal)
    where l.account_id = ${accountId} and l.message_id = ${messageId} and l.lane = b.lane
      and l.from_ordinal = b.from_ordinal and l.owner = ${owner}
      and l.started_to = l.to_ordinal`.execute(db);
}
