// Lock-free lookups across all accounts, for example of due work and its accounts. On a cluster
// such a statement reads every node and fails as a whole while one is down. It is then retried for
// the reachable accounts alone, so that one node does not delay the others.
import { type RawBuilder, sql } from 'kysely';
import { isConnectionLost, isRetriable, type Reader } from './database.ts';
import { isNodeFailure } from './node-failure.ts';
import { log } from '../log.ts';
import { isOnCluster } from './query-plan.sql.ts';

/**
 * SQL condition that the account in this column is reachable. Apply it to each table of a lookup,
 * including joined tables and tables in subqueries: a cluster reads every node for each table.
 */
export type AccountScope = (account: RawBuilder<unknown>) => RawBuilder<boolean>;

/** Minimum time between two checks whether the missing nodes have returned. */
const RECHECK_MS = 2_000;
/**
 * A check may last until a connection times out. Outside transactions, a lookup waits for it only
 * this long.
 */
const MAX_CHECK_WAIT_MS = 500;
/** `isAccountReachable` ignores a list if its next check is overdue by this time. */
const STALE_MS = 60_000;

/** Set while nodes are missing: the accounts on the other nodes, until the next check. */
type Reachable = { accounts: ReadonlySet<number>; unreachableNodes: string; nextCheckAt: number };
let reachable: Reachable | undefined;
let checking: Promise<void> | undefined;

/** Returns false while the account is known to be on an unreachable node. */
export function isAccountReachable(accountId: number): boolean {
  if (!reachable || reachable.nextCheckAt + STALE_MS < performance.now()) return true;
  return reachable.accounts.has(accountId);
}

export const inAnyAccount: AccountScope = () => sql<boolean>`true`;

type AccountQuery<Row> = (within: AccountScope) => RawBuilder<Row>;

/** Returns the rows of a lookup that applies `within` to each of its tables. */
export async function acrossAccounts<Row>(db: Reader, query: AccountQuery<Row>): Promise<Row[]> {
  return (await searchAccounts(db, query)).rows;
}

/**
 * Searches all accounts, for callers that need to know whether the search was complete:
 * `isComplete` is false while a node is down.
 */
export async function searchAccounts<Row>(
  db: Reader,
  query: AccountQuery<Row>,
): Promise<{ rows: Row[]; isComplete: boolean }> {
  if (reachable && reachable.nextCheckAt <= performance.now()) await recheck(db);
  if (reachable) return queryReachable(db, query, reachable);
  try {
    const { rows } = await query(inAnyAccount).execute(db);
    return { rows, isComplete: true };
  } catch (error) {
    const isAway = isRetriable(error) || isConnectionLost(error) || isNodeFailure(error);
    if (!isAway || !(await isOnCluster(db))) throw error;
    const reachableNodes = await readReachable(db);
    reachable = reachableNodes;
    log.warn('Cluster node is unavailable; skipping its accounts', {
      reason: (error as Error).message,
      accounts: reachableNodes.accounts.size,
    });
    return queryReachable(db, query, reachableNodes);
  }
}

/** Checks the nodes. Outside a transaction, a check that takes long continues in the background. */
async function recheck(db: Reader): Promise<void> {
  // Only the first lookup waits for the check; concurrent ones use the current list.
  if (checking) return;
  checking = check(db)
    .catch((error: unknown) => log.warn('Could not check the nodes', { error: error as Error }))
    .finally(() => {
      checking = undefined;
    });
  const patience = new Promise((resolve) => setTimeout(resolve, MAX_CHECK_WAIT_MS).unref());
  await (db.isTransaction ? checking : Promise.race([checking, patience]));
}

async function check(db: Reader): Promise<void> {
  const startedAt = performance.now();
  const awayNodes = (await listUnreachableNodes(db)).join();
  if (awayNodes === '') {
    reachable = undefined;
    log.info('All nodes of the cluster are available');
    return;
  }
  const currentReachable =
    reachable?.unreachableNodes === awayNodes ? reachable : await readReachable(db);
  const now = performance.now();
  currentReachable.nextCheckAt = now + Math.max(RECHECK_MS, now - startedAt);
  reachable = currentReachable;
}

async function queryReachable<Row>(
  db: Reader,
  query: AccountQuery<Row>,
  among: Reachable,
): Promise<{ rows: Row[]; isComplete: boolean }> {
  const ids = [...among.accounts];
  try {
    const { rows } = await query(
      (account) => sql<boolean>`${account} = any(${ids}::bigint[])`,
    ).execute(db);
    return { rows, isComplete: false };
  } catch (error) {
    // Perhaps another node is missing now: the next lookup checks the nodes.
    among.nextCheckAt = 0;
    throw error;
  }
}

/**
 * A report found no match on the reachable nodes. Its sender has to retry, because the match may be
 * on an unreachable node.
 */
export class NodeUnreachableError extends Error {
  constructor() {
    super('A node of the cluster is unavailable, and the report may be for an account on it');
  }
}

/** Returns `host:port` of the nodes the coordinator cannot reach; empty without a cluster. */
export async function listUnreachableNodes(db: Reader): Promise<string[]> {
  if (!(await isOnCluster(db))) return [];
  const { rows } = await sql<{ name: string }>`
    select nodename || ':' || nodeport as name from pg_dist_node
    where isactive and groupid <> 0 and not citus_check_connection_to_node(nodename, nodeport)
    order by 1`.execute(db);
  return rows.map(({ name }) => name);
}

/** Accounts on the nodes that respond. Each part of the table is queried separately. */
async function readReachable(db: Reader): Promise<Reachable> {
  const awayNodes = (await listUnreachableNodes(db)).join();
  const { rows } = await sql<{ ids: string | null }>`
    select result as ids from run_command_on_placements('accounts', 'select json_agg(id) from %s')
    where success`.execute(db);
  const ids = rows.flatMap((row) => (row.ids ? (JSON.parse(row.ids) as number[]) : []));
  return {
    accounts: new Set(ids),
    unreachableNodes: awayNodes,
    nextCheckAt: performance.now() + RECHECK_MS,
  };
}
