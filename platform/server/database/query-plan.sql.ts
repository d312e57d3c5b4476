// Query plans and table statistics. On a cluster the coordinator has neither; the account's node
// has both.
import { type RawBuilder, sql } from 'kysely';
import type { Db, Reader } from './database.ts';

/** A plan node of EXPLAIN (FORMAT JSON), with costs in PostgreSQL's units. */
export type QueryPlan = {
  'Node Type': string;
  'Total Cost': number;
  'Plan Rows': number;
  'Join Filter'?: string;
  Plans?: QueryPlan[];
  'Distributed Query'?: { Job: { Tasks?: { 'Remote Plan': [[{ Plan: QueryPlan }]] }[] } };
};

/** Returns the plan of a statement over one account; undefined if unavailable. */
export async function explainStatement(
  db: Reader,
  statement: RawBuilder<unknown>,
): Promise<QueryPlan | undefined> {
  const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: QueryPlan }] }>`
    explain (format json) ${statement}`.execute(db);
  return unwrapNodePlan(rows[0]?.['QUERY PLAN'][0].Plan);
}

/** Returns the plan; on a cluster, the plan of the account's node. */
export function unwrapNodePlan(plan: QueryPlan | undefined): QueryPlan | undefined {
  const distributedPlan = plan?.['Distributed Query'] ?? plan?.Plans?.[0]?.['Distributed Query'];
  if (!distributedPlan) return plan;
  return distributedPlan.Job.Tasks?.[0]?.['Remote Plan'][0][0].Plan;
}

/**
 * Updates PostgreSQL's statistics of the account's table; on a cluster only of the account's shard.
 */
export async function analyzeAccountTable(db: Db, table: string, accountId: number): Promise<void> {
  if (!(await isOnCluster(db))) {
    await sql`analyze ${sql.table(table)}`.execute(db);
    return;
  }
  await sql`
    select master_run_on_worker(array[s.nodename::text], array[s.nodeport],
      array['analyze ' || s.shard_name], false)
    from citus_shards s where s.table_name = ${table}::regclass
      and s.shardid = get_shard_id_for_distribution_column(${table}::regclass, ${accountId}::bigint)`.execute(
    db,
  );
}

/** Returns true if tables are distributed over a Citus cluster. */
export async function isOnCluster(db: Reader): Promise<boolean> {
  const { rows } = await sql<{ is: boolean }>`
    select exists (select 1 from pg_extension where extname = 'citus') as is`.execute(db);
  return rows[0]?.is === true;
}
