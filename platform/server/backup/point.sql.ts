// SQL of a point that every node of a cluster can be restored to, and of what is still open once they were. The same
// statements hold on one server, which is then the only node.
import type pg from 'pg';
import { isSpread } from './parts.sql.ts';

export type OfNode<T> = { node: string; value: T };

/** One value of each node, the coordinator among them; a node that does not answer is an error with its words. */
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
  const away = rows.find(({ success }) => !success);
  if (away) throw new Error(`The node ${away.node} says: ${away.result}`);
  return rows.map(({ node, result }) => ({ node, value: JSON.parse(result) as T }));
}

/** Whether nodes keep their WAL, and which file of it they kept last. */
type Archive = {
  keeps: boolean;
  kept: string | null;
  /** The file that it was tried with in vain since then. */
  failing: string | null;
};

export const readArchives = (client: pg.Client) =>
  ofEachNode<Archive>(
    client,
    `select json_build_object('keeps', current_setting('archive_mode') <> 'off', 'kept', last_archived_wal,
      'failing', case when last_failed_time > coalesce(last_archived_time, '-infinity') then last_failed_wal end)
    from pg_stat_archiver`,
  );

/** While it is made, no transaction over several nodes comes to its end. */
export async function createPoint(client: pg.Client, name: string): Promise<void> {
  const create = (await isSpread(client))
    ? 'citus_create_restore_point'
    : 'pg_create_restore_point';
  await client.query(`select ${create}($1)`, [name]);
}

/**
 * The file of WAL of each node that is the last one needed up to here, and is at its end now. A word of our own in it
 * makes sure that there is one to end.
 */
export async function endFiles(client: pg.Client): Promise<OfNode<string>[]> {
  const files = await ofEachNode<string>(
    client,
    "select to_json(pg_walfile_name(pg_logical_emit_message(false, 'sendloom', 'restore point')))",
  );
  await ofEachNode(client, 'select to_json(pg_switch_wal()::text)');
  return files;
}

/** `point`: what a node was restored to, by its settings; empty where it was not, or to no point with a name. */
export type Restored = { point: string; knows: string[] };

/** Of each node, and where it takes the others to be. Those of a cluster that still runs may be among them. */
export const readRestored = (client: pg.Client) =>
  ofEachNode<Restored>(
    client,
    `select json_build_object('point', current_setting('recovery_target_name'),
      'knows', json_agg(nodename || ':' || nodeport order by groupid)) from pg_dist_node`,
  );

/** Transactions over several nodes that the point cut in two: the coordinator knows which of them were through. */
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
