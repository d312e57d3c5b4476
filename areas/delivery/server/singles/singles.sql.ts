// Queries that find accounts with due single sends, lease single sends, and write their results.
// See add-singles.sql.ts for inserts.
import { type RawBuilder, sql } from 'kysely';
import {
  acrossAccounts,
  inAnyAccount,
  type AccountScope,
} from '#platform/server/database/across-accounts.sql.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import {
  type MessageChannel,
  filterKinds,
  type MessageKind,
  PRIORITY,
  type Priority,
} from '../../message-kinds.ts';
import { hasOwnSenders } from '../channels/own-senders.sql.ts';
import type { Scope } from '../ledger/open-messages.sql.ts';

/** Kinds that the installation's relays send, even if the account has its own relays. */
const OWN_KINDS = filterKinds((rules) => rules.isOwn);

export async function readFieldNames(
  db: Reader,
  accountId: number,
): Promise<{ id: number; name: string }[]> {
  return db
    .selectFrom('fields')
    .select(['id', 'name'])
    .where('account_id', '=', accountId)
    .orderBy('id')
    .execute();
}

/** Name of the variable with the ID of the subscriber whose values a test email shows. */
export const SHOWN_AS = 'shown_as';

/** Returns the ID of the message's single send with this idempotency key. */
export async function findSingle(
  db: Reader,
  accountId: number,
  messageId: number,
  key: string,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('single_sends')
    .select('id')
    .where('account_id', '=', accountId)
    .where('message_id', '=', messageId)
    .where('idempotency_key', '=', key)
    .executeTakeFirst();
  return row?.id;
}

/** Returns a variable's value by the ID of each single send that has it. */
export async function readSingleValues(
  db: Reader,
  accountId: number,
  ids: readonly number[],
  name: string,
): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: number; value: string }>`
    select id, variables ->> ${name}::text as value from single_sends
    where account_id = ${accountId} and id = any(${[...ids]}::bigint[])
      and variables ->> ${name}::text is not null`.execute(db);
  return new Map(rows.map(({ id, value }) => [id, value]));
}

/**
 * SQL: the single send `s` is in the scope. System emails leave through the installation's relays
 * even if the account has its own.
 */
function isInScope(scope: Scope, accountId: RawBuilder<unknown>): RawBuilder<unknown> {
  const isSystemEmail = sql`exists (select 1 from messages m where m.account_id = ${accountId}
    and m.id = s.message_id and m.kind = any(${OWN_KINDS}::text[]))`;
  const isOfChannel = sql`s.channel = ${scope.channel}`;
  if (scope.accountId !== undefined) {
    return sql`(${isOfChannel} and s.account_id = ${scope.accountId} and not ${isSystemEmail})`;
  }
  return sql`(${isOfChannel} and (${isSystemEmail} or not ${hasOwnSenders(scope.channel, accountId)}))`;
}

const WAITS = sql`s.state in ('pending', 'deferred', 'handing_over')`;

/**
 * SQL: the single send `s` may be leased once it is due. An email whose lease expired is sent again
 * with the same Message-ID because a duplicate is better than a loss. SMS have no such ID to
 * recognize a duplicate, so an SMS whose lease expired is settled as unknown.
 */
const IS_LEASABLE: Record<MessageChannel, RawBuilder<unknown>> = {
  email: WAITS,
  sms: sql`${WAITS} and s.state <> 'handing_over'`,
};

/**
 * Returns the account of each of the first `size` unfinished single sends of the accounts after
 * `after`, in ascending order; an account may occur several times. Runs once per second and takes
 * no lock. It reads one page of rows, so a million rows of one account cost as much as a hundred.
 */
export async function findAccountsWithWaiting(
  db: Reader,
  channel: MessageChannel,
  page: { after: number; size: number },
): Promise<number[]> {
  const rows = await acrossAccounts(
    db,
    (scope) => sql<{ account_id: number }>`
      select account_id from single_sends s where ${WAITS} and channel = ${channel}
        and account_id > ${page.after} and ${scope(sql`account_id`)}
      order by account_id limit ${page.size}`,
  );
  return rows.map((row) => row.account_id);
}

/**
 * An account with due single sends: urgent ones, or marketing, which shares capacity with
 * campaigns.
 */
export type DueAccount = { id: number; is_urgent: boolean; is_marketing: boolean };

const URGENT = [PRIORITY.awaited, PRIORITY.confirmation];

/** SQL: selects the account's due single sends of these priorities. */
const dueAt = (
  channel: MessageChannel,
  accountId: RawBuilder<unknown>,
  priorities: readonly Priority[],
  now: Date,
  scope: AccountScope = inAnyAccount,
) => sql`
  select 1 from single_sends s where s.account_id = ${accountId} and ${scope(sql`s.account_id`)} and ${IS_LEASABLE[channel]}
    and s.channel = ${channel} and s.priority = any(${[...priorities]}::smallint[]) and s.next_attempt_at <= ${now}`;

/**
 * Returns which of these accounts have due single sends for the installation's senders. Takes 3 ms
 * for 200 accounts with a million single sends.
 */
export async function findDueAmong(
  db: Reader,
  channel: MessageChannel,
  accountIds: readonly number[],
  now: Date,
): Promise<DueAccount[]> {
  const account = sql`a.id`;
  return acrossAccounts(db, (scope) => {
    const usesOwnSenders = hasOwnSenders(channel, account, scope);
    const isOwnKind = sql`exists (select 1 from messages m where m.account_id = a.id
      and m.id = s.message_id and m.kind = any(${OWN_KINDS}::text[]) and ${scope(sql`m.account_id`)})`;
    const urgent = dueAt(channel, account, URGENT, now, scope);
    return sql<DueAccount>`
      select * from (
        select a.id,
          case when ${usesOwnSenders} then exists (${urgent} and ${isOwnKind})
            else exists (${urgent}) end as is_urgent,
          not ${usesOwnSenders} and exists (${dueAt(channel, account, [PRIORITY.marketing], now, scope)}) as is_marketing
        from accounts a where a.id = any(${[...accountIds]}::bigint[]) and ${scope(sql`a.id`)}) due
      where is_urgent or is_marketing order by id`;
  });
}

/** Returns the account if its own senders have due single sends. */
export async function findDueOfAccount(
  db: Reader,
  channel: MessageChannel,
  accountId: number,
  now: Date,
): Promise<DueAccount[]> {
  const account = sql`${accountId}::bigint`;
  const isOwn = isInScope({ channel, accountId }, account);
  const { rows } = await sql<DueAccount>`
    select * from (
      select ${account} as id, exists (${dueAt(channel, account, URGENT, now)} and ${isOwn}) as is_urgent,
        exists (${dueAt(channel, account, [PRIORITY.marketing], now)} and ${isOwn}) as is_marketing) due
    where is_urgent or is_marketing`.execute(db);
  return rows;
}

export type SingleSendRow = {
  id: number;
  message_id: number;
  subscriber_id: number | null;
  recipient: string;
  variables: unknown;
  sealed_variables: Buffer | null;
  attempt: number;
  strikes: number;
  created_at: Date;
  /** The message of the single send is canceled. */
  is_cancelled: boolean;
  /** The single send was attempted before, so the message's counts include it as deferred. */
  is_counted: boolean;
};

/**
 * Maximum of the column. A relay may defer one single send for a year; an overflow must not stop
 * the other single sends of the account.
 */
const MAX_ATTEMPTS = 32_767;

type Lease = {
  scope: Scope;
  limit: number;
  owner: string;
  now: Date;
  leasedUntil: Date;
};

/**
 * Leases due urgent single sends; see IS_LEASABLE for expired leases. `next_attempt_at` is set to
 * the end of the lease. Single sends that a user waits for come before confirmations.
 */
export async function leaseUrgent(
  tx: Tx,
  accountId: number,
  /** `excludedKinds`: message kinds whose single sends are not leased. */
  lease: Lease & { excludedKinds: readonly MessageKind[] },
): Promise<SingleSendRow[]> {
  const isSelected =
    lease.excludedKinds.length === 0
      ? sql`true`
      : sql`not exists (select 1 from messages m where m.account_id = ${accountId}
          and m.id = s.message_id and m.kind = any(${[...lease.excludedKinds]}::text[]))`;
  const dueOf = (priority: Priority, limit: RawBuilder<unknown>) => sql`
    select id from single_sends s
    where account_id = ${accountId} and ${IS_LEASABLE[lease.scope.channel]}
      and priority = ${priority}
      and next_attempt_at <= ${lease.now} and ${isInScope(lease.scope, sql`${accountId}`)}
      and ${isSelected}
    order by next_attempt_at limit ${limit} for update skip locked`;
  const remaining = sql`${lease.limit} - (select count(*) from awaited)`;
  const { rows } = await sql<SingleSendRow>`
    with awaited as materialized (${dueOf(PRIORITY.awaited, sql`${lease.limit}`)}),
    confirming as materialized (${dueOf(PRIORITY.confirmation, remaining)}),
    due as (select id from awaited union all select id from confirming)
    ${startDue(accountId, lease)}`.execute(tx);
  return rows;
}

/** Leases due single sends of marketing messages that are not paused. */
export async function leaseMarketing(
  tx: Tx,
  accountId: number,
  lease: Lease,
): Promise<SingleSendRow[]> {
  const { rows } = await sql<SingleSendRow>`
    with due as materialized (
      select id from single_sends s
      where account_id = ${accountId} and ${IS_LEASABLE[lease.scope.channel]}
        and priority = ${PRIORITY.marketing}
        and next_attempt_at <= ${lease.now} and ${isInScope(lease.scope, sql`${accountId}`)}
        and not exists (select 1 from messages m where m.account_id = ${accountId}
          and m.id = s.message_id and m.state = 'paused' offset 0)
      order by next_attempt_at limit ${lease.limit} for update skip locked
    )
    ${startDue(accountId, lease)}`.execute(tx);
  return rows;
}

/** SQL: leases the rows of `due`. */
const startDue = (accountId: number, { owner, leasedUntil }: Lease) => sql`
  update single_sends s set state = 'handing_over', owner = ${owner},
    next_attempt_at = ${leasedUntil}, expires_at = ${leasedUntil},
    attempt = least(s.attempt, ${MAX_ATTEMPTS - 1}) + 1
  from due
  where s.account_id = ${accountId} and s.id = due.id
  returning s.id, s.message_id, s.subscriber_id, s.recipient, s.variables, s.sealed_variables,
    s.attempt, s.strikes, s.created_at, s.relay is not null as is_counted,
    exists (select 1 from messages m where m.account_id = ${accountId} and m.id = s.message_id
      and m.state = 'cancelled') as is_cancelled`;

export type SingleResult = {
  id: number;
  state: 'accepted' | 'deferred' | 'failed' | 'skipped' | 'unknown';
  strikes: number;
  nextAttemptAt: Date | null;
  code: string;
  reply: string;
  reason: string;
  /**
   * The relay of the handoff. While the column is null, the message's counts do not include the
   * single send.
   */
  relay: string;
};

/** Writes the results of single sends that this owner still leases. Returns their IDs. */
export async function recordSingleSendResults(
  tx: Tx,
  accountId: number,
  owner: string,
  singleResults: readonly SingleResult[],
  at: Date,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with answered as materialized (
      select * from unnest(${singleResults.map((a) => a.id)}::bigint[],
        ${singleResults.map((a) => a.state)}::delivery_state[], ${singleResults.map((a) => a.strikes)}::smallint[],
        ${singleResults.map((a) => a.nextAttemptAt)}::timestamptz[], ${singleResults.map((a) => a.code)}::text[],
        ${singleResults.map((a) => a.reply)}::text[], ${singleResults.map((a) => a.reason)}::text[],
        ${singleResults.map((a) => a.relay)}::text[])
        a(id, state, strikes, next_attempt_at, code, reply, reason, relay)
    )
    update single_sends s set state = a.state, strikes = a.strikes, owner = null, expires_at = null,
      next_attempt_at = coalesce(a.next_attempt_at, s.next_attempt_at), code = nullif(a.code, ''),
      reply = nullif(a.reply, ''), reason = nullif(a.reason, ''), relay = a.relay,
      finished_at = case when a.next_attempt_at is null then ${at}::timestamptz end,
      sealed_variables = case when a.next_attempt_at is null then null else s.sealed_variables end
    from answered a
    where s.account_id = ${accountId} and s.id = a.id and s.owner = ${owner}
    returning s.id`.execute(tx);
  return rows.map((row) => row.id);
}

/**
 * Releases leased single sends for which no byte can have been sent. Returns the IDs that this
 * owner still leased.
 */
export async function returnSingles(
  tx: Tx,
  accountId: number,
  owner: string,
  ids: readonly number[],
  at: Date,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    update single_sends s set state = case when s.attempt > 1 then 'deferred' else 'pending' end
        ::delivery_state, attempt = s.attempt - 1, owner = null, expires_at = null,
      next_attempt_at = ${at}
    where s.account_id = ${accountId} and s.owner = ${owner} and s.id = any(${[...ids]}::bigint[])
    returning s.id`.execute(tx);
  return rows.map((row) => row.id);
}

/**
 * Marks SMS as unknown, without a retry, if their lease expired during the handoff. Returns, per
 * message, how many SMS this settled, and how many of these were counted as deferred.
 */
export async function settleLostSms(
  tx: Tx,
  accountId: number,
  now: Date,
): Promise<{ message_id: number; count: number; deferred: number }[]> {
  const { rows } = await sql<{ message_id: number; count: number; deferred: number }>`
    with lost as (
      update single_sends set state = 'unknown', reason = 'sender_lost', owner = null,
        expires_at = null, finished_at = ${now}, sealed_variables = null
      where account_id = ${accountId} and channel = 'sms' and state = 'handing_over'
        and next_attempt_at <= ${now}
      returning message_id, relay
    )
    select message_id, count(*) as count, count(*) filter (where relay is not null) as deferred
    from lost group by message_id`.execute(tx);
  return rows;
}

/** Returns accounts with single SMS whose lease expired during the handoff. */
export async function listAccountsWithLostSms(db: Reader, now: Date): Promise<number[]> {
  const rows = await acrossAccounts(
    db,
    (scope) => sql<{ account_id: number }>`
      select distinct account_id from single_sends s
      where ${WAITS} and channel = 'sms' and state = 'handing_over' and next_attempt_at <= ${now}
        and ${scope(sql`account_id`)} limit 100`,
  );
  return rows.map((row) => row.account_id);
}

/** Renews leases of single sends. */
export async function renewSingleLeases(
  tx: Reader,
  accountId: number,
  owner: string,
  ids: readonly number[],
  until: Date,
): Promise<void> {
  await sql`
    update single_sends s set next_attempt_at = ${until}, expires_at = ${until}
    where s.account_id = ${accountId} and s.owner = ${owner} and s.id = any(${[...ids]}::bigint[])`.execute(
    tx,
  );
}

export type SingleSubscriber = {
  id: number;
  email: string | null;
  firstname: string | null;
  lastname: string | null;
  phone: string | null;
  field_values: unknown;
  timezone: string | null;
  country: string | null;
  mailbox: number;
  email_status: string;
  temail_status: string;
  sms_status: string;
  tsms_status: string;
  paused_until: Date | null;
};

export async function readSubscribers(
  tx: Tx,
  accountId: number,
  ids: readonly number[],
): Promise<SingleSubscriber[]> {
  return tx
    .selectFrom('subscribers')
    .select([
      'id',
      'email',
      'firstname',
      'lastname',
      'phone',
      'field_values',
      'timezone',
      'country',
      'mailbox',
    ])
    .select(['email_status', 'temail_status', 'sms_status', 'tsms_status', 'paused_until'])
    .where('account_id', '=', accountId)
    .where('id', '=', sql<number>`any(${[...ids]}::bigint[])`)
    .where('deleted_at', 'is', null)
    .execute();
}
