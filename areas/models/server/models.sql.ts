// SQL of the account's model and its use.
import { type Selectable, sql } from 'kysely';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';

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

const monthOf = (at: Date) =>
  sql<string>`date_trunc('month', ${at}::timestamptz at time zone 'UTC')::date`;

export async function tokensOfMonth(db: Reader, accountId: number, at: Date): Promise<number> {
  const row = await db
    .selectFrom('model_use')
    .select(sql<number>`tokens_in + tokens_out`.as('tokens'))
    .where('account_id', '=', accountId)
    .where('month', '=', monthOf(at))
    .executeTakeFirst();
  return Number(row?.tokens ?? 0);
}

export async function addUse(
  db: Reader,
  accountId: number,
  { tokensIn, tokensOut }: { tokensIn: number; tokensOut: number },
  at: Date,
): Promise<void> {
  await sql`
    insert into model_use as used (account_id, month, requests, tokens_in, tokens_out)
    values (${accountId}, ${monthOf(at)}, 1, ${tokensIn}::bigint, ${tokensOut}::bigint)
    on conflict (account_id, month) do update set requests = used.requests + 1,
      tokens_in = used.tokens_in + excluded.tokens_in,
      tokens_out = used.tokens_out + excluded.tokens_out`.execute(db);
}
