// Spreads the tables of a database that exists over a Citus cluster: accounts' by their account, small global ones on
// every node, the coordinator's own left where they are. A new database needs none of it: its migrations do.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { CannotStart } from './cannot-start.ts';
import * as cluster from './distribute.sql.ts';
import { lockMigrations } from './migrate.ts';

type Kinds = { reference: string[]; local: string[] };
const KINDS = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../migrations/tables.json'), 'utf8'),
) as Kinds;

/** Each role opens some; the coordinator prepares one transaction for each at the same time. */
const PREPARED_LEAST = 100;

/**
 * All tables or none: one transaction. What stays behind on the coordinator goes after it; once more finishes that.
 * The caller sees to it that nothing of the product runs. Returns how many tables were spread.
 */
export async function distributeDatabase(
  client: pg.Client,
  { shards, say }: { shards: number; say: (sentence: string) => void },
): Promise<number> {
  await refuseUnready(client, say);
  await lockMigrations(client);
  const whole = (await cluster.readWhole(client)).filter((table) => !KINDS.local.includes(table));
  await cluster.prepareSession(client, shards);
  await client.query('begin');
  try {
    await spread(client, whole, say);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
  say('What stayed on the coordinator goes …');
  await cluster.dropLocalRows(client);
  await cluster.run(client, 'analyze');
  return whole.length;
}

/** The extension, nodes, and the settings without which moving accounts would fail later. */
async function refuseUnready(client: pg.Client, say: (sentence: string) => void): Promise<void> {
  const nodes = await cluster.readNodes(client);
  if (nodes === undefined) {
    throw new CannotStart(
      'This database is not on a Citus cluster: create the extension citus in it, here and on each node.',
    );
  }
  if (nodes.length === 0) {
    throw new CannotStart(
      'The coordinator knows no nodes yet: citus_set_coordinator_host and citus_add_node tell it of them.',
    );
  }
  const { prepared, level } = await cluster.readClusterSettings(client);
  if (level !== 'logical') {
    throw new CannotStart('Accounts can only be moved between nodes with wal_level=logical.');
  }
  if (prepared < PREPARED_LEAST) {
    throw new CannotStart(
      `max_prepared_transactions is ${prepared}: it must exceed all connections of the product.`,
    );
  }
  say(`Nodes: ${nodes.join(', ')}`);
}

async function spread(
  client: pg.Client,
  tables: readonly string[],
  say: (sentence: string) => void,
): Promise<void> {
  const isGlobal = (table: string) => KINDS.reference.includes(table);
  const parents = await cluster.readParents(client);
  const global = inOrder(tables.filter(isGlobal), parents);
  const own = inOrder(
    tables.filter((table) => !isGlobal(table)),
    parents,
  );
  // Keys of accounts' tables to global ones go, and come back once both lie where they belong.
  const keys = (await cluster.readKeysTo(client, global)).filter(({ child }) => !isGlobal(child));
  for (const { drop } of keys) await cluster.run(client, drop);
  await cluster.setLogged(client, own);
  for (const table of own) {
    say(`${table} …`);
    await cluster.distribute(client, table);
  }
  for (const table of global) {
    say(`${table}, on every node …`);
    await cluster.copyToEachNode(client, table);
  }
  for (const { add } of keys) await cluster.run(client, add);
}

/** Accounts first, parents before their children. */
function inOrder(
  tables: readonly string[],
  keys: readonly { child: string; parent: string }[],
): string[] {
  const done: string[] = [];
  const visit = (table: string) => {
    if (done.includes(table) || !tables.includes(table)) return;
    for (const { child, parent } of keys) if (child === table) visit(parent);
    done.push(table);
  };
  visit('accounts');
  for (const table of tables) visit(table);
  return done;
}
