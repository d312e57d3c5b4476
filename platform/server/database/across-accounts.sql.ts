// Lock-free lookups over all accounts, for instance of due work and its accounts. On a cluster such
// a statement reads every node and fails as a whole while one is down. It is then retried for the
// reachable accounts alone, so that one node does not delay the others.
import { type RawBuilder, sql } from 'kysely';
import { isCutOff, isRetriable, type Reader } from './database.ts';
import { isNodeFailure } from './node-failure.ts';
import { log } from '../log.ts';
import { isOnCluster } from './query-plan.sql.ts';

/**
 * SQL condition that the account in this column is reachable. Apply it to each table of a lookup,
 * including joined ones and those in subqueries: a cluster reads every node for each table.
 */
export type Within = (account: RawBuilder<unknown>) => RawBuilder<boolean>;

/**
 * After a failure no full lookup is attempted for this time, since each attempt may wait for the
 * missing node's timeout.
 */
const AWAY_MS = 15_000;

type Reachable = { accounts: number[]; until: number };
let reachable: Reachable | undefined;

export const allAccounts: Within = () => sql<boolean>`true`;

type AccountQuery<Row> = (within: Within) => RawBuilder<Row>;

/** Returns the rows of a lookup that applies `within` to each of its tables. */
export async function acrossAccounts<Row>(db: Reader, query: AccountQuery<Row>): Promise<Row[]> {
  return (await searchAccounts(db, query)).rows;
}

/**
 * For callers that need to know whether every account was searched: `isWhole` is false while a node
 * is down.
 */
export async function searchAccounts<Row>(
  db: Reader,
  query: AccountQuery<Row>,
): Promise<{ rows: Row[]; isWhole: boolean }> {
  if (reachable && reachable.until > performance.now()) return queryReachable(db, query, reachable);
  try {
    const { rows } = await query(allAccounts).execute(db);
    reachable = undefined;
    return { rows, isWhole: true };
  } catch (error) {
    const isAway = isRetriable(error) || isCutOff(error) || isNodeFailure(error);
    if (!isAway || !(await isOnCluster(db))) throw error;
    reachable = { accounts: await readReachable(db), until: performance.now() + AWAY_MS };
    log.warn('Cluster node is unavailable; skipping its accounts', {
      error: (error as Error).message,
      accounts: reachable.accounts.length,
    });
    return queryReachable(db, query, reachable);
  }
}

async function queryReachable<Row>(
  db: Reader,
  query: AccountQuery<Row>,
  { accounts }: Reachable,
): Promise<{ rows: Row[]; isWhole: boolean }> {
  const { rows } = await query(
    (account) => sql<boolean>`${account} = any(${accounts}::bigint[])`,
  ).execute(db);
  return { rows, isWhole: false };
}

/**
 * A report found no match on the reachable nodes. Its sender has to retry, since the match may be
 * on the unreachable one.
 */
export class NodeAway extends Error {
  constructor() {
    super('A node of the cluster is away: it may be for an account that is there');
  }
}

/** `host:port` of the nodes the coordinator cannot reach; empty without a cluster. */
export async function nodesAway(db: Reader): Promise<string[]> {
  if (!(await isOnCluster(db))) return [];
  const { rows } = await sql<{ name: string }>`
    select nodename || ':' || nodeport as name from pg_dist_node
    where isactive and groupid <> 0 and not citus_check_connection_to_node(nodename, nodeport)
    order by 1`.execute(db);
  return rows.map(({ name }) => name);
}

/** Accounts on the nodes that respond. Each part of the table is queried separately. */
async function readReachable(db: Reader): Promise<number[]> {
  const { rows } = await sql<{ ids: string | null }>`
    select result as ids from run_command_on_placements('accounts', 'select json_agg(id) from %s')
    where success`.execute(db);
  return rows.flatMap(({ ids }) => (ids ? (JSON.parse(ids) as number[]) : []));
}
