// Queries for experiments and their variants, for any kind of broadcast.
import { sql } from 'kysely';
import { acrossAccounts } from '#platform/server/database/across-accounts.sql.ts';
import type { Db, Reader, Tx } from '#platform/server/database/database.ts';
import type { AnyVariant, BroadcastTables } from '../adapter.ts';
import type {
  AnyExperiments,
  AnyVariants,
  ExperimentChanges,
  ExperimentRow,
  NewVariant,
  VariantChanges,
  VariantRow,
} from './rows.ts';

/** The tables of all kinds have these columns, so statements do not depend on the kind. */
const selectExperiments = (tables: BroadcastTables) => tables.experiments as AnyExperiments;
const getVariantTable = (tables: BroadcastTables) => tables.variants as AnyVariants;

export function findExperiments(
  db: Reader,
  tables: BroadcastTables,
  accountId: number,
  campaignIds: readonly number[],
): Promise<ExperimentRow[]> {
  return db
    .selectFrom(selectExperiments(tables))
    .selectAll()
    .where('account_id', '=', accountId)
    .where('campaign_id', '=', sql<number>`any(${[...campaignIds]}::bigint[])`)
    .execute();
}

/** Lists the variants of these broadcasts, the control first. */
export async function findVariants<Variant extends VariantRow>(
  db: Reader,
  tables: BroadcastTables,
  accountId: number,
  campaignIds: readonly number[],
): Promise<Variant[]> {
  const rows = await db
    .selectFrom(getVariantTable(tables))
    .selectAll()
    .where('account_id', '=', accountId)
    .where('campaign_id', '=', sql<number>`any(${[...campaignIds]}::bigint[])`)
    .orderBy('campaign_id')
    .orderBy('number')
    .execute();
  return rows as VariantRow[] as Variant[];
}

export async function findVariant<Variant extends VariantRow>(
  db: Reader,
  tables: BroadcastTables,
  accountId: number,
  id: number,
): Promise<Variant | undefined> {
  const row = await db
    .selectFrom(getVariantTable(tables))
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row as VariantRow | undefined as Variant | undefined;
}

/**
 * SQL condition: some recipients of the broadcast wait for the winner of its experiment. `id` names
 * the column of the broadcast's id.
 */
export const waitsForWinner = (tables: BroadcastTables, accountId: number, id: string) =>
  sql<boolean>`exists (select 1 from ${sql.table(tables.experiments)} e
    where e.account_id = ${accountId} and e.campaign_id = ${sql.ref(id)}
      and e.state in ('testing', 'waiting', 'failed') and e.test_share + e.holdout_share < 100)`;

export type ExperimentSettings = Pick<
  ExperimentRow,
  | 'metric'
  | 'duration_hours'
  | 'test_share'
  | 'holdout_share'
  | 'holdout_days'
  | 'is_automatic'
  | 'fallback'
>;

/** Inserts the experiment of a draft or changes its settings; the first salt is kept. */
export async function saveExperiment(
  tx: Tx,
  tables: BroadcastTables,
  accountId: number,
  campaignId: number,
  settings: ExperimentSettings & { salt: string },
): Promise<void> {
  const { salt, ...changes } = settings;
  await tx
    .insertInto(selectExperiments(tables))
    .values({ account_id: accountId, campaign_id: campaignId, salt, ...changes })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'campaign_id']).doUpdateSet({ ...changes }),
    )
    .execute();
}

/** Replaces the variants; a variant passed with its id keeps the id. */
export async function replaceVariants(
  tx: Tx,
  tables: BroadcastTables,
  accountId: number,
  campaignId: number,
  variants: readonly (VariantChanges & { number: number })[],
): Promise<void> {
  await tx
    .deleteFrom(getVariantTable(tables))
    .where('account_id', '=', accountId)
    .where('campaign_id', '=', campaignId)
    .execute();
  for (const variant of variants) {
    await tx
      .insertInto(getVariantTable(tables))
      .values({
        ...(variant as NewVariant),
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
  changes: VariantChanges,
): Promise<void> {
  await tx
    .updateTable(getVariantTable(tables))
    .set(changes as NewVariant)
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
    .deleteFrom(selectExperiments(tables))
    .where('account_id', '=', accountId)
    .where('campaign_id', '=', campaignId)
    .returning('campaign_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Locks the experiment until the transaction ends so that it is decided once. */
export function lockExperiment(
  tx: Tx,
  tables: BroadcastTables,
  accountId: number,
  campaignId: number,
): Promise<ExperimentRow | undefined> {
  return tx
    .selectFrom(selectExperiments(tables))
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
    .updateTable(selectExperiments(tables))
    .set(changes)
    .where('account_id', '=', accountId)
    .where('campaign_id', '=', campaignId)
    .execute();
}

/** Returns the experiment of a broadcast and its variants, or undefined if there is none. */
export async function findWithVariants(
  db: Reader,
  tables: BroadcastTables,
  accountId: number,
  campaignId: number,
): Promise<{ experiment: ExperimentRow; variants: AnyVariant[] } | undefined> {
  const [experiment] = await findExperiments(db, tables, accountId, [campaignId]);
  if (!experiment) return undefined;
  const variants = await findVariants<AnyVariant>(db, tables, accountId, [campaignId]);
  return { experiment, variants };
}

/** Columns of an experiment without a decision. */
export const UNDECIDED = {
  reason: null,
  next_look_at: null,
  tested_at: null,
  winner: null,
  chosen: null,
  outcome: null,
  decided_at: null,
  decided_by: null,
  evidence: null,
  rest_message_id: null,
  failing_since: null,
} as const satisfies ExperimentChanges;

/** Detaches the messages of the variants, because the broadcast is a draft again. */
export async function detachMessages(
  tx: Tx,
  tables: BroadcastTables,
  accountId: number,
  campaignId: number,
): Promise<void> {
  await tx
    .updateTable(getVariantTable(tables))
    .set({ message_id: null, mean_handed_at: null })
    .where('account_id', '=', accountId)
    .where('campaign_id', '=', campaignId)
    .execute();
}

/** Lists the accounts, among all accounts, that have due checks. The query takes no locks. */
export async function listAccountsWithDueChecks(
  db: Db,
  tables: BroadcastTables,
  now: Date,
): Promise<number[]> {
  const rows = await acrossAccounts(
    db,
    (withinNodes) => sql<{ account_id: number }>`
      select distinct account_id from ${sql.table(tables.experiments)}
      where state = 'testing' and next_look_at <= ${now} and ${withinNodes(sql`account_id`)}
      limit 1000`,
  );
  return rows.map((row) => row.account_id);
}

/** Finds a broadcast of the account whose experiment is due, except those in `excludedIds`. */
export async function findDueCheck(
  db: Reader,
  tables: BroadcastTables,
  accountId: number,
  now: Date,
  excludedIds: readonly number[],
): Promise<number | undefined> {
  const row = await db
    .selectFrom(selectExperiments(tables))
    .select('campaign_id')
    .where('account_id', '=', accountId)
    .where('state', '=', 'testing')
    .where('next_look_at', '<=', now)
    .where('campaign_id', '<>', sql<number>`all(${[...excludedIds]}::bigint[])`)
    .orderBy('next_look_at')
    .limit(1)
    .executeTakeFirst();
  return row?.campaign_id;
}
