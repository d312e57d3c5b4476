// SQL for a restore point on every node of a cluster, and for transactions that a restore to it
// left open. A single server is treated as the only node.
import type pg from 'pg';
import { isSpread } from './parts.sql.ts';

export type OfNode<T> = { node: string; value: T };

/**
 * Runs the statement on every node, including the coordinator, and returns one value per node.
 * @throws if a node does not respond
 */
async function ofEachNode<T>(client: pg.Client, statement: string): Promise<OfNode<T>[]> {
  if (!(await isSpread(client))) {
    const { rows } = await client.query<{ node: string; value: T }>(
      `select coalesce(host(inet_server_addr()), 'local') || ':' || current_setting('port') as node,
        (${statement})::json as value`,
    );
    return rows;
  }
  const { rows } = await client.query<{ node: string; success: boolean; result: string }>(
    `select n.nodename || ':' || n.nodeport as node, r.success, r.result
    from run_command_on_all_nodes($1) r join pg_dist_node n using (nodeid) order by n.groupid`,
    [statement],
  );
  const failedNode = rows.find(({ success }) => !success);
  if (failedNode) throw new Error(`The node ${failedNode.node} reports: ${failedNode.result}`);
  return rows.map(({ node, result }) => ({ node, value: JSON.parse(result) as T }));
}

/** The archiving of a node: whether it archives its WAL, and the last archived file. */
type Archive = {
  isEnabled: boolean;
  lastFile: string | null;
  /** The file that last failed to be archived; null if a file has been archived since. */
  failedFile: string | null;
};

export const readArchives = (client: pg.Client) =>
  ofEachNode<Archive>(
    client,
    `select json_build_object('isEnabled', current_setting('archive_mode') <> 'off', 'lastFile', last_archived_wal,
      'failedFile', case when last_failed_time > coalesce(last_archived_time, '-infinity') then last_failed_wal end)
    from pg_stat_archiver`,
  );

/** Creates the point; no transaction over several nodes can commit concurrently. */
export async function createPoint(client: pg.Client, name: string): Promise<void> {
  const create = (await isSpread(client))
    ? 'citus_create_restore_point'
    : 'pg_create_restore_point';
  await client.query(`select ${create}($1)`, [name]);
}

/**
 * Returns the last WAL file of each node that is needed to restore the current state. Switches to
 * the next file, so that this one is complete. Writes a record first, because PostgreSQL does not
 * switch from a file without records.
 */
export async function endFiles(client: pg.Client): Promise<OfNode<string>[]> {
  const files = await ofEachNode<string>(
    client,
    "select to_json(pg_walfile_name(pg_logical_emit_message(false, 'sendloom', 'restore point')))",
  );
  await ofEachNode(client, 'select to_json(pg_switch_wal()::text)');
  return files;
}

export type NodeRestoreState = {
  /**
   * The restore target in the node's settings; empty if the node was not restored, or not to a
   * named point.
   */
  point: string;
  /**
   * The addresses of all nodes in this node's own tables. After a restore, they may be addresses of
   * the original cluster, which may still run.
   */
  nodeAddresses: string[];
};

/** Returns one entry per node. */
export const readRestored = (client: pg.Client) =>
  ofEachNode<NodeRestoreState>(
    client,
    `select json_build_object('point', current_setting('recovery_target_name'),
      'nodeAddresses', json_agg(nodename || ':' || nodeport order by groupid)) from pg_dist_node`,
  );

/**
 * Finishes transactions over several nodes that the restore point cut in two: the coordinator knows
 * which of them committed.
 */
export async function finishPrepared(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    'select recover_prepared_transactions() as count',
  );
  return rows[0]?.count ?? 0;
}

export const readPrepared = (client: pg.Client) =>
  ofEachNode<number>(
    client,
    'select to_json(count(*)) from pg_prepared_xacts where database = current_database()',
  );
