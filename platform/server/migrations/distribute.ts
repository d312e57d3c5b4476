// Distributes the tables of an existing database over a Citus cluster: account tables by account,
// small global tables to every node; the coordinator's own tables remain in place. New databases do
// not need this, because their migrations do it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { CannotStart } from '../process/cannot-start.ts';
import * as cluster from './distribute.sql.ts';
import { lockMigrations } from './migrate.ts';

type TableKinds = { reference: string[]; local: string[] };
const TABLE_KINDS = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../migrations/tables.json'), 'utf8'),
) as TableKinds;

/**
 * Each role opens connections; the coordinator may have one prepared transaction for each of them
 * at the same time.
 */
const MIN_PREPARED = 100;

/**
 * Distributes all tables or none, in one transaction. The rows that stayed on the coordinator are
 * deleted after it; if that is interrupted, a repeated call completes it. The caller makes sure
 * that no process of the product runs. Returns the number of tables distributed.
 */
export async function distributeDatabase(
  client: pg.Client,
  { shards, print }: { shards: number; print: (sentence: string) => void },
): Promise<number> {
  await refuseUnready(client, print);
  await lockMigrations(client);
  const undistributedTables = (await cluster.readUndistributed(client)).filter(
    (table) => !TABLE_KINDS.local.includes(table),
  );
  await cluster.prepareSession(client, shards);
  await client.query('begin');
  try {
    await spread(client, undistributedTables, print);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
  print('Deleting the rows that stayed on the coordinator …');
  await cluster.dropLocalRows(client);
  await cluster.run(client, 'analyze');
  return undistributedTables.length;
}

/**
 * Checks the extension, the nodes, and the settings without which moving accounts would fail later.
 */
async function refuseUnready(client: pg.Client, print: (sentence: string) => void): Promise<void> {
  const nodes = await cluster.readNodes(client);
  if (nodes === undefined) {
    throw new CannotStart(
      'This database is not on a Citus cluster: create the extension citus in it, here and on each node.',
    );
  }
  if (nodes.length === 0) {
    throw new CannotStart(
      'The coordinator has no nodes: add them with citus_set_coordinator_host and citus_add_node.',
    );
  }
  const { prepared, level } = await cluster.readClusterSettings(client);
  if (level !== 'logical') {
    throw new CannotStart('Accounts can only be moved between nodes with wal_level=logical.');
  }
  if (prepared < MIN_PREPARED) {
    throw new CannotStart(
      `max_prepared_transactions is ${prepared}: it must exceed the sum of all connections of Sendloom.`,
    );
  }
  print(`Nodes: ${nodes.join(', ')}`);
}

async function spread(
  client: pg.Client,
  tables: readonly string[],
  print: (sentence: string) => void,
): Promise<void> {
  const isGlobal = (table: string) => TABLE_KINDS.reference.includes(table);
  const parents = await cluster.readParents(client);
  const global = inOrder(tables.filter(isGlobal), parents);
  const accountTables = inOrder(
    tables.filter((table) => !isGlobal(table)),
    parents,
  );
  // Keys from account tables to global tables are dropped and recreated once both tables are in
  // place.
  const keys = (await cluster.readForeignKeys(client, global)).filter(
    ({ child }) => !isGlobal(child),
  );
  for (const { drop } of keys) await cluster.run(client, drop);
  await cluster.setLogged(client, accountTables);
  for (const table of accountTables) {
    print(`${table} …`);
    await cluster.distribute(client, table);
  }
  for (const table of global) {
    print(`${table}, on every node …`);
    await cluster.copyToEachNode(client, table);
  }
  for (const { add } of keys) await cluster.run(client, add);
}

/** Orders the tables: accounts first, then parents before children. */
function inOrder(
  tables: readonly string[],
  keys: readonly { child: string; parent: string }[],
): string[] {
  const finishedTables: string[] = [];
  const visit = (table: string) => {
    if (finishedTables.includes(table) || !tables.includes(table)) return;
    for (const { child, parent } of keys) if (child === table) visit(parent);
    finishedTables.push(table);
  };
  visit('accounts');
  for (const table of tables) visit(table);
  return finishedTables;
}
