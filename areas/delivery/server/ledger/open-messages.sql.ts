// Queries that find work across all accounts: open messages for senders, and messages with expired
// leases or incomplete audiences. Other queries check which messages of an account are still open.
import { type RawBuilder, sql } from 'kysely';
import {
  acrossAccounts,
  inAnyAccount,
  type AccountScope,
} from '#platform/server/database/across-accounts.sql.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { MessageChannel } from '../../message-kinds.ts';
import { listAccountsWithOwnSms, hasOwnSenders } from '../channels/own-senders.sql.ts';

/**
 * What a sender sends: the messages of one account that has its own senders or, without
 * `accountId`, the messages of all accounts that have none.
 */
export type Scope = { channel: MessageChannel; accountId?: number };

/** Email of all accounts that have no relays of their own. */
export const SHARED: Scope = { channel: 'email' };

/** SQL: the account is in the scope. */
export function isInScope(
  scope: Scope,
  account: RawBuilder<unknown>,
  accountScope: AccountScope = inAnyAccount,
): RawBuilder<boolean> {
  return scope.accountId === undefined
    ? sql`not ${hasOwnSenders(scope.channel, account, accountScope)}`
    : sql`${account} = ${scope.accountId}::bigint`;
}

/** SQL: when a message was last resumed; null if it never was. */
function resumedAt(message: RawBuilder<unknown>): RawBuilder<Date | null> {
  return sql`(${message}.breaker_from ->> 'at')::timestamptz`;
}

export type MessageKey = { account_id: number; id: number };
export type OpenMessage = MessageKey & {
  has_deferred: boolean;
  is_waiting: boolean;
  /** If set, only retries may start until this time, because the day's warm-up cap is used up. */
  held_until: Date | null;
  /** Time of the owner's last resume. */
  resumed_at: Date | null;
};

/**
 * A poll of all accounts reads at most `size` rows that follow `after`; the next poll continues
 * after the last of them.
 */
export type MessagePage = { after: MessageKey; size: number };

/**
 * SQL: the message `m` waits for its next wave; it has no retries and no handoffs in flight. 1,000
 * such messages cost a poll 0.2 ms.
 */
const waitsForWave = (now: Date) => sql`coalesce(m.opens_at > ${now}, false)`;

/** SQL: the wave of this lane of `m` is open. */
const isWaveOpen = (
  now: Date,
  lane: RawBuilder<unknown>,
  accountScope: AccountScope,
) => sql`(m.opens_at is null
  or exists (select 1 from lanes w where w.account_id = m.account_id and w.message_id = m.id
    and ${accountScope(sql`w.account_id`)}
    and w.lane = ${lane} and w.opens_at <= ${now} and (w.closes_at is null or w.closes_at > ${now})))`;

/**
 * Returns messages with recipients to lease or retries that are due, across all accounts of the
 * scope. Runs once per second, takes no locks and uses the small partial index of unfinished
 * messages.
 */
export async function listOpenMessages(
  db: Reader,
  scope: Scope,
  now: Date,
  { after, size }: MessagePage,
): Promise<OpenMessage[]> {
  return acrossAccounts(
    db,
    (accountScope) => sql<OpenMessage>`
    select account_id, id, has_deferred, is_waiting, held_until, resumed_at from (
      select m.account_id, m.id, m.state = 'waiting' as is_waiting,
        case when m.held_until > ${now} then m.held_until end as held_until,
        ${resumedAt(sql`m`)} as resumed_at,
        exists (select 1 from deferrals d where d.account_id = m.account_id
          and d.message_id = m.id and d.next_attempt_at <= ${now} and d.owner is null
          and ${accountScope(sql`d.account_id`)}) as has_deferred,
        (m.held_until is null or m.held_until <= ${now}) and (
          exists (select 1 from lanes l where l.account_id = m.account_id
            and l.message_id = m.id and l.leased < l.written and ${accountScope(sql`l.account_id`)}
            and (l.opens_at is null or l.opens_at <= ${now})
            and (l.closes_at is null or l.closes_at > ${now}))
          or exists (select 1 from leases l where l.account_id = m.account_id
            and l.message_id = m.id and not l.is_done and l.owner = ''
            and ${isWaveOpen(now, sql`l.lane`, accountScope)} and ${accountScope(sql`l.account_id`)})) as has_ranges
      from messages m
      where m.state in ('preparing', 'sending', 'waiting') and m.frozen_hash is null
        and not ${waitsForWave(now)} and (m.account_id, m.id) > (${after.account_id}::bigint, ${after.id}::bigint)
        and m.channel = ${scope.channel} and ${isInScope(scope, sql`m.account_id`, accountScope)}
        and ${accountScope(sql`m.account_id`)}) open
    where has_deferred or has_ranges
    order by account_id, id limit ${size}`,
  );
}

/**
 * Returns accounts with their own SMS providers and SMS that may be due, as
 * `listAccountsWithOwnWork` does for email.
 */
export async function listAccountsWithSmsWork(
  db: Reader,
  now: Date,
  page: { after: number; lastId?: number; size: number },
): Promise<number[]> {
  const rows = await acrossAccounts(
    db,
    (accountScope) => sql<{ account_id: number }>`
    select distinct account_id from (${listAccountsWithOwnSms()}) own
    where own.account_id > ${page.after} and ${accountScope(sql`own.account_id`)}
      and own.account_id <= ${page.lastId ?? Number.MAX_SAFE_INTEGER} and (
      exists (select 1 from messages m where m.account_id = own.account_id and ${accountScope(sql`m.account_id`)}
        and m.state in ('preparing', 'sending', 'waiting') and m.frozen_hash is null
        and m.channel = 'sms')
      or exists (select 1 from single_sends s where s.account_id = own.account_id and ${accountScope(sql`s.account_id`)}
        and s.channel = 'sms' and s.state in ('pending', 'deferred', 'handing_over')
        and s.next_attempt_at <= ${now}))
    order by account_id limit ${page.size}`,
  );
  return rows.map((row) => row.account_id);
}

/**
 * Returns messages with expired leases (`is_lost`), and messages without open work, which may be
 * finished; across all accounts.
 */
export async function listNeglectedMessages(
  db: Reader,
  now: Date,
  { after, size }: MessagePage,
): Promise<(MessageKey & { is_lost: boolean })[]> {
  const behind = sql`(${after.account_id}::bigint, ${after.id}::bigint)`;
  return acrossAccounts(
    db,
    (accountScope) => sql<MessageKey & { is_lost: boolean }>`
    select account_id, message_id as id, true as is_lost from leases
    where not is_done and owner <> '' and expires_at < ${now}
      and (account_id, message_id) > ${behind} and ${accountScope(sql`account_id`)}
    union
    select account_id, message_id, true from deferrals
    where owner is not null and expires_at < ${now} and (account_id, message_id) > ${behind}
      and ${accountScope(sql`account_id`)}
    union
    select m.account_id, m.id, false from messages m
    where m.state in ('preparing', 'sending', 'waiting') and m.frozen_hash is null
      and m.is_audience_complete and not ${waitsForWave(now)}
      and (m.account_id, m.id) > ${behind} and ${accountScope(sql`m.account_id`)}
      and not exists (select 1 from lanes l where l.account_id = m.account_id
        and l.message_id = m.id and l.leased < l.written and ${accountScope(sql`l.account_id`)})
      and not exists (select 1 from leases l where l.account_id = m.account_id
        and l.message_id = m.id and not l.is_done and ${accountScope(sql`l.account_id`)})
      and not exists (select 1 from deferrals d where d.account_id = m.account_id
        and d.message_id = m.id and ${accountScope(sql`d.account_id`)})
    order by account_id, id, is_lost desc limit ${size}`,
  );
}

/**
 * Returns messages whose recipients are not all written and that have not changed since an instant,
 * across all accounts.
 */
export async function listMessagesInPreparation(
  db: Reader,
  before: Date,
  { after, size }: MessagePage,
): Promise<MessageKey[]> {
  return acrossAccounts(
    db,
    (accountScope) => sql<MessageKey>`
    select account_id, id from messages
    where state in ('preparing', 'sending', 'waiting') and frozen_hash is null
      and not is_audience_complete and modified_at < ${before} and ${accountScope(sql`account_id`)}
      and (account_id, id) > (${after.account_id}::bigint, ${after.id}::bigint)
    order by account_id, id limit ${size}`,
  );
}

/** Returns an account's open messages that a sender of this scope sends. */
export async function listSendable(
  db: Reader,
  scope: Scope,
  accountId: number,
  messageIds: readonly number[],
): Promise<number[]> {
  const rows = await db
    .selectFrom('messages')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', sql<number>`any(${[...messageIds]}::bigint[])`)
    .where('state', 'in', ['preparing', 'sending', 'waiting'])
    .where('channel', '=', scope.channel)
    .where(isInScope(scope, sql`${accountId}::bigint`))
    .execute();
  return rows.map((row) => row.id);
}

/**
 * Returns an account's messages in state `sending` with the time of their last resume.
 */
export function listSending(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
): Promise<{ id: number; resumed_at: Date | null }[]> {
  return db
    .selectFrom('messages')
    .select(['id', resumedAt(sql`messages`).as('resumed_at')])
    .where('account_id', '=', accountId)
    .where('id', '=', sql<number>`any(${[...messageIds]}::bigint[])`)
    .where('state', '=', 'sending')
    .execute();
}

/** Counts the open messages of all accounts, for the operator. */
export async function countOpenMessages(db: Reader): Promise<number> {
  const rows = await acrossAccounts(
    db,
    (accountScope) => sql<{ count: number }>`
      select count(*) as count from messages
      where state in ('preparing', 'sending', 'waiting') and frozen_hash is null and ${accountScope(sql`account_id`)}`,
  );
  return rows[0]?.count ?? 0;
}
