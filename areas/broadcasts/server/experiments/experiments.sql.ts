// SQL of experiments and their variants, for any kind of broadcast.
import { type Selectable, sql, type Updateable } from 'kysely';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { BroadcastTables } from '../owner.ts';

export type ExperimentRow = Selectable<DB['campaign_experiments']>;
export type ExperimentChanges = Updateable<DB['campaign_experiments']>;

/** Columns that the owner of the kind sets. */
export type VariantChanges = Updateable<DB['campaign_variants']> | Updateable<DB['sms_variants']>;

/** Columns in the table of each kind of variant. */
export type VariantRow = Pick<
  Selectable<DB['campaign_variants']>,
  'account_id' | 'id' | 'campaign_id' | 'number' | 'revision' | 'delay_minutes' | 'message_id'
>;

/** The tables of all kinds have these columns, so statements do not depend on the kind. */
const experimentsOf = (tables: BroadcastTables) => tables.experiments as 'campaign_experiments';
const variantsOf = (tables: BroadcastTables) => tables.variants as 'campaign_variants';

export function findExperiments(
  db: Reader,
  tables: BroadcastTables,
  accountId: number,
  campaignIds: readonly number[],
): Promise<ExperimentRow[]> {
  return db
    .selectFrom(experimentsOf(tables))
    .selectAll()
    .where('account_id', '=', accountId)
    .where('campaign_id', '=', sql<number>`any(${[...campaignIds]}::bigint[])`)
    .execute();
}

/** Variants of these broadcasts, the control first. */
export async function findVariants<Variant extends VariantRow>(
  db: Reader,
  tables: BroadcastTables,
  accountId: number,
  campaignIds: readonly number[],
): Promise<Variant[]> {
  const rows = await db
    .selectFrom(variantsOf(tables))
    .selectAll()
    .where('account_id', '=', accountId)
    .where('campaign_id', '=', sql<number>`any(${[...campaignIds]}::bigint[])`)
    .orderBy('campaign_id')
    .orderBy('number')
    .execute();
  return rows as unknown as Variant[];
}

/** The variant with this id. */
export async function findVariant<Variant extends VariantRow>(
  db: Reader,
  tables: BroadcastTables,
  accountId: number,
  id: number,
): Promise<Variant | undefined> {
  const row = await db
    .selectFrom(variantsOf(tables))
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row as unknown as Variant | undefined;
}

export type ExperimentSettings = Pick<
  ExperimentRow,
  'metric' | 'duration_hours' | 'test_share' | 'holdout_share' | 'is_automatic' | 'fallback'
>;

/** Inserts the experiment of a draft, or changes its settings; the salt of the first one remains. */
export async function putExperiment(
  tx: Tx,
  tables: BroadcastTables,
  accountId: number,
  campaignId: number,
  settings: ExperimentSettings & { salt: string },
): Promise<void> {
  const { salt, ...changes } = settings;
  await tx
    .insertInto(experimentsOf(tables))
    .values({ account_id: accountId, campaign_id: campaignId, salt, ...changes })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'campaign_id']).doUpdateSet({ ...changes }),
    )
    .execute();
}

/** Replaces the variants; a known one keeps its id. */
export async function replaceVariants(
  tx: Tx,
  tables: BroadcastTables,
  accountId: number,
  campaignId: number,
  variants: readonly (VariantChanges & { number: number })[],
): Promise<void> {
  await tx
    .deleteFrom(variantsOf(tables))
    .where('account_id', '=', accountId)
    .where('campaign_id', '=', campaignId)
    .execute();
  for (const variant of variants) {
    await tx
      .insertInto(variantsOf(tables))
      .values({
        ...(variant as Updateable<DB['campaign_variants']>),
        number: variant.number,
        account_id: accountId,
        campaign_id: campaignId,
      })
      .execute();
  }
}

export async function updateVariant(
  tx: Tx,
  tables: BroadcastTables,
  accountId: number,
  id: number,
  changes: Updateable<DB['campaign_variants']>,
): Promise<void> {
  await tx
    .updateTable(variantsOf(tables))
    .set(changes)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute();
}

export async function deleteExperiment(
  tx: Tx,
  tables: BroadcastTables,
  accountId: number,
  campaignId: number,
): Promise<boolean> {
  await replaceVariants(tx, tables, accountId, campaignId, []);
  const row = await tx
    .deleteFrom(experimentsOf(tables))
    .where('account_id', '=', accountId)
    .where('campaign_id', '=', campaignId)
    .returning('campaign_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Locks the experiment until the transaction ends: it is decided once. */
export function lockExperiment(
  tx: Tx,
  tables: BroadcastTables,
  accountId: number,
  campaignId: number,
): Promise<ExperimentRow | undefined> {
  return tx
    .selectFrom(experimentsOf(tables))
    .selectAll()
    .where('account_id', '=', accountId)
    .where('campaign_id', '=', campaignId)
    .forUpdate()
    .executeTakeFirst();
}

export async function updateExperiment(
  tx: Tx,
  tables: BroadcastTables,
  accountId: number,
  campaignId: number,
  changes: ExperimentChanges,
): Promise<void> {
  await tx
    .updateTable(experimentsOf(tables))
    .set(changes)
    .where('account_id', '=', accountId)
    .where('campaign_id', '=', campaignId)
    .execute();
}

/** Number of variants, by broadcast. */
export async function countVariants(
  db: Reader,
  tables: BroadcastTables,
  accountId: number,
  campaignIds: readonly number[],
): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom(variantsOf(tables))
    .select((e) => ['campaign_id', e.fn.countAll<number>().as('count')])
    .where('account_id', '=', accountId)
    .where('campaign_id', '=', sql<number>`any(${[...campaignIds]}::bigint[])`)
    .groupBy('campaign_id')
    .execute();
  return new Map(rows.map((row) => [row.campaign_id, row.count]));
}
