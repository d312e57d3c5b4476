// Look-ups over all accounts, without a lock: what is due, and whose. On a cluster such a statement asks every node, and
// fails as a whole while one of them is away: then it is asked of the accounts that can be reached, so that one node
// keeps nobody else waiting.
import { type RawBuilder, sql } from 'kysely';
import { isCutOff, isRetriable, type Reader } from './database.ts';
import { log } from './log.ts';
import { isOnCluster } from './query-plan.sql.ts';

/**
 * SQL: the account that stands in this column can be reached. Said of each table of a look-up, inner ones too: a
 * cluster asks every node for a table that is only joined.
 */
export type Within = (account: RawBuilder<unknown>) => RawBuilder<boolean>;

/** So long the whole is not asked again: each asking may wait for the missing node's time limit. */
const AWAY_MS = 15_000;

type Reachable = { accounts: number[]; until: number };
let reachable: Reachable | undefined;

export const everybody: Within = () => sql<boolean>`true`;

type LookUp<Row> = (within: Within) => RawBuilder<Row>;

/** The rows of a look-up that puts `within` on each of its tables. */
export async function acrossAccounts<Row>(db: Reader, lookUp: LookUp<Row>): Promise<Row[]> {
  return (await searchAccounts(db, lookUp)).rows;
}

/** For whoever has to know whether all were asked: `isWhole` is false while a node is away. */
export async function searchAccounts<Row>(
  db: Reader,
  lookUp: LookUp<Row>,
): Promise<{ rows: Row[]; isWhole: boolean }> {
  if (reachable && reachable.until > performance.now()) return askReachable(db, lookUp, reachable);
  try {
    const { rows } = await lookUp(everybody).execute(db);
    reachable = undefined;
    return { rows, isWhole: true };
  } catch (error) {
    if (!isOfNode(error) || !(await isOnCluster(db))) throw error;
    reachable = { accounts: await readReachable(db), until: performance.now() + AWAY_MS };
    log.warn('Cluster node is unavailable; skipping its accounts', {
      error: (error as Error).message,
      accounts: reachable.accounts.length,
    });
    return askReachable(db, lookUp, reachable);
  }
}

async function askReachable<Row>(
  db: Reader,
  lookUp: LookUp<Row>,
  { accounts }: Reachable,
): Promise<{ rows: Row[]; isWhole: boolean }> {
  const { rows } = await lookUp(
    (account) => sql<boolean>`${account} = any(${accounts}::bigint[])`,
  ).execute(db);
  return { rows, isWhole: false };
}

/** Somebody else than who was found may be meant: whoever told it is to tell it again. */
export class NodeAway extends Error {
  constructor() {
    super('A node of the cluster is away: it may be for an account that is there');
  }
}

/** The coordinator's word of a node that it cannot reach, or lost in the middle. */
function isOfNode(error: unknown): boolean {
  const { message = '' } = (error ?? {}) as { message?: string };
  return (
    isRetriable(error) ||
    isCutOff(error) ||
    /remote node|could not connect|connection to the/i.test(message)
  );
}

/** `host:port` of the nodes that the coordinator cannot reach; none where there is no cluster. */
export async function nodesAway(db: Reader): Promise<string[]> {
  if (!(await isOnCluster(db))) return [];
  const { rows } = await sql<{ name: string }>`
    select nodename || ':' || nodeport as name from pg_dist_node
    where isactive and groupid <> 0 and not citus_check_connection_to_node(nodename, nodeport)
    order by 1`.execute(db);
  return rows.map(({ name }) => name);
}

/** Accounts on the nodes that answer: each part of the table is asked by itself. */
async function readReachable(db: Reader): Promise<number[]> {
  const { rows } = await sql<{ ids: string | null }>`
    select result as ids from run_command_on_placements('accounts', 'select json_agg(id) from %s')
    where success`.execute(db);
  return rows.flatMap(({ ids }) => (ids ? (JSON.parse(ids) as number[]) : []));
}
