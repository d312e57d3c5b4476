// Queries for the account's model and its use.
import { type Selectable, sql } from 'kysely';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { ModelCost } from '../contract.ts';

export type ModelRow = Selectable<DB['models']>;

export const findModel = (db: Reader, accountId: number): Promise<ModelRow | undefined> =>
  db.selectFrom('models').selectAll().where('account_id', '=', accountId).executeTakeFirst();

export async function saveModel(tx: Tx, row: ModelRow): Promise<void> {
  const { account_id, ...values } = row;
  await tx
    .insertInto('models')
    .values({ account_id, ...values })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(values))
    .execute();
}

export async function deleteModel(tx: Tx, accountId: number): Promise<void> {
  await tx.deleteFrom('models').where('account_id', '=', accountId).execute();
}

const truncateToMonth = (at: Date) =>
  sql<string>`date_trunc('month', ${at}::timestamptz at time zone 'UTC')::date`;

export async function useOfMonth(
  db: Reader,
  accountId: number,
  at: Date,
): Promise<{ tokens: number; cost: ModelCost | null }> {
  const row = await db
    .selectFrom('model_use')
    .select(['cost', 'currency', sql<number>`tokens_in + tokens_out`.as('tokens')])
    .where('account_id', '=', accountId)
    .where('month', '=', truncateToMonth(at))
    .executeTakeFirst();
  return {
    tokens: Number(row?.tokens ?? 0),
    cost: row?.currency ? { amount: Number(row.cost), currency: row.currency } : null,
  };
}

/**
 * Reserves the tokens of a request; returns undefined if the limit of the month is reached.
 * Requests in progress are included, so that concurrent requests exceed the limit by at most one
 * request, as sequential ones would.
 */
export async function reserveTokens(
  tx: Tx,
  accountId: number,
  {
    tokens,
    maxTokens,
    at,
    expiresAt,
  }: { tokens: number; maxTokens: number | null; at: Date; expiresAt: Date },
): Promise<number | undefined> {
  // Locks the month, so that concurrent requests count each other's reservations.
  await sql`
    insert into model_use (account_id, month) values (${accountId}, ${truncateToMonth(at)})
    on conflict (account_id, month) do update set requests = model_use.requests`.execute(tx);
  // Deletes reservations of processes that were killed during their request.
  await sql`
    delete from model_reservations where account_id = ${accountId} and until <= ${at}`.execute(tx);
  const { rows } = await sql<{ id: number }>`
    insert into model_reservations (account_id, tokens, until)
    select ${accountId}::bigint, ${tokens}::bigint, ${expiresAt}::timestamptz
    where ${maxTokens}::bigint is null or ${maxTokens}::bigint > (
      select tokens_in + tokens_out from model_use
      where account_id = ${accountId} and month = ${truncateToMonth(at)}
    ) + (
      select coalesce(sum(tokens), 0) from model_reservations where account_id = ${accountId}
    )
    returning id`.execute(tx);
  return rows[0]?.id;
}

/**
 * Replaces a reservation by the use of the request; `use` is undefined for a request without a
 * response. If the prices are in another currency than before, the cost of the month starts again
 * at 0.
 */
export async function settleTokens(
  tx: Tx,
  accountId: number,
  { id, at }: { id: number; at: Date },
  use: { tokensIn: number; tokensOut: number; cost: ModelCost | null } | undefined,
): Promise<void> {
  const { tokensIn, tokensOut, cost } = use ?? { tokensIn: 0, tokensOut: 0, cost: null };
  const currency = cost?.currency ?? null;
  // Locks the month first, as a new reservation does.
  await sql`
    update model_use set
      requests = requests + ${use ? 1 : 0}::integer,
      tokens_in = tokens_in + ${tokensIn}::bigint,
      tokens_out = tokens_out + ${tokensOut}::bigint,
      cost = case when ${currency}::text is null or currency = ${currency}::text then cost else 0 end
        + ${cost?.amount ?? 0}::numeric,
      currency = coalesce(${currency}::text, currency)
    where account_id = ${accountId} and month = ${truncateToMonth(at)}`.execute(tx);
  await sql`
    delete from model_reservations where account_id = ${accountId} and id = ${id}`.execute(tx);
}
