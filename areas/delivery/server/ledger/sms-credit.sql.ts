// Queries for SMS credit: numbers that SMS go to, credit reserved for single sends, and charges.
import { sql } from 'kysely';
import { PHONE_PREFIX_LENGTH } from '#areas/subscribers/server/index.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { SmsCopyKey } from './sms.sql.ts';

/** Returns the phone numbers of those subscribers who have one. */
export async function findPhones(
  tx: Tx,
  accountId: number,
  ids: readonly number[],
): Promise<{ id: number; phone: string }[]> {
  const { rows } = await sql<{ id: number; phone: string }>`
    select s.id, s.phone_key as phone from subscribers s
    where s.account_id = ${accountId} and s.id = any(${[...ids]}::bigint[])
      and s.phone_key is not null`.execute(tx);
  return rows;
}

/** Counts deferred recipients by number prefix; `phone` is one of the counted numbers. */
export async function countDeferredByPrefix(
  tx: Tx,
  accountId: number,
  messageId: number,
): Promise<{ phone: string; count: number }[]> {
  const { rows } = await sql<{ phone: string; count: number }>`
    select min(s.phone_key) as phone, count(*) as count from deferrals d
    join recipients r on r.account_id = ${accountId} and r.message_id = ${messageId}
      and r.lane = d.lane and r.ordinal = d.ordinal
    join subscribers s on s.account_id = ${accountId} and s.id = r.subscriber_id
      and s.phone_key is not null
    where d.account_id = ${accountId} and d.message_id = ${messageId}
    group by left(s.phone_key, ${PHONE_PREFIX_LENGTH})`.execute(tx);
  return rows;
}

/** Stores the credit reserved for single sends, unless it is stored already. */
export async function saveReserved(
  tx: Tx,
  accountId: number,
  messageId: number,
  reservations: readonly { key: string; micros: number }[],
): Promise<void> {
  await sql`
    update single_sends s set held_micros = h.micros
    from unnest(${reservations.map((reservation) => reservation.key)}::text[],
      ${reservations.map((reservation) => reservation.micros)}::bigint[]) h(key, micros)
    where s.account_id = ${accountId} and s.message_id = ${messageId}
      and s.idempotency_key = h.key and s.held_micros is null`.execute(tx);
}

/** Sums the credit reserved for a message's single sends without a final result. */
export async function sumReservedBySingles(
  tx: Tx,
  accountId: number,
  messageId: number,
): Promise<number> {
  const { rows } = await sql<{ micros: number }>`
    select coalesce(sum(held_micros), 0)::bigint as micros from single_sends
    where account_id = ${accountId} and message_id = ${messageId}
      and state in ('pending', 'deferred', 'handing_over')`.execute(tx);
  return rows[0]?.micros ?? 0;
}

/** Marks SMS as charged. Returns the SMS that were not charged before. */
export async function markCharged(
  tx: Tx,
  accountId: number,
  messageId: number,
  charges: readonly (SmsCopyKey & { micros: number })[],
): Promise<(SmsCopyKey & { micros: number })[]> {
  const column = <K extends keyof (typeof charges)[number]>(key: K) =>
    charges.map((charge) => charge[key]);
  const { rows } = await sql<SmsCopyKey & { micros: number }>`
    update sms_results r set charged_micros = t.micros
    from unnest(${column('lane')}::smallint[], ${column('ordinal')}::bigint[],
      ${column('attempt')}::smallint[], ${column('micros')}::bigint[]) t(lane, ordinal, attempt, micros)
    where r.account_id = ${accountId} and r.message_id = ${messageId} and r.lane = t.lane
      and r.ordinal = t.ordinal and r.attempt = t.attempt and r.charged_micros is null
    returning r.lane, r.ordinal, r.attempt, t.micros`.execute(tx);
  return rows;
}

/** Replaces the stored charges, for SMS whose price exceeded the remaining credit. */
export async function correctCharged(
  tx: Tx,
  accountId: number,
  messageId: number,
  charges: readonly (SmsCopyKey & { micros: number })[],
): Promise<void> {
  const column = <K extends keyof (typeof charges)[number]>(key: K) =>
    charges.map((charge) => charge[key]);
  await sql`
    update sms_results r set charged_micros = t.micros
    from unnest(${column('lane')}::smallint[], ${column('ordinal')}::bigint[],
      ${column('attempt')}::smallint[], ${column('micros')}::bigint[]) t(lane, ordinal, attempt, micros)
    where r.account_id = ${accountId} and r.message_id = ${messageId} and r.lane = t.lane
      and r.ordinal = t.ordinal and r.attempt = t.attempt`.execute(tx);
}

/** Returns the phone number of a copy; undefined if it is no longer known. */
export async function findPhoneOfSms(
  tx: Tx,
  accountId: number,
  messageId: number,
  { lane, ordinal }: SmsCopyKey,
): Promise<string | undefined> {
  const { rows } = await sql<{ phone: string | null }>`
    select coalesce(
      (select s.recipient from single_sends s where ${lane} = -1 and s.account_id = ${accountId}
        and s.id = ${ordinal}),
      (select p.phone_key from recipients r
        join subscribers p on p.account_id = ${accountId} and p.id = r.subscriber_id
        where r.account_id = ${accountId} and r.message_id = ${messageId} and r.lane = ${lane}
          and r.ordinal = ${ordinal})) as phone`.execute(tx);
  return rows[0]?.phone ?? undefined;
}
