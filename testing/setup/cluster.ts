// Runs tests on a Citus cluster instead of the embedded server: `npm run cluster-test --
// 10.0.0.1:5432 10.0.0.2:5432 …`, coordinator first. A test database has the same name on each
// node, and the nodes are registered with each other.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import type { Reader } from '#platform/server/database/database.ts';
import { isOnCluster } from '#platform/server/database/query-plan.sql.ts';

/** The environment variable that names the nodes as `host:port`, coordinator first. */
export const NODES_VARIABLE = 'SENDLOOM_CLUSTER_NODES';

/** The number of shards of each table; few, because each test file creates its own tables. */
const SHARDS = 4;

/**
 * Returns the URLs of the nodes' maintenance databases, or undefined if tests run on one server.
 */
export function clusterNodes(): string[] | undefined {
  const nodes = process.env[NODES_VARIABLE];
  return nodes?.split(',').map((node) => `postgres://sendloom@${node}/postgres`);
}

export async function runStatements(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

export function databaseUrlOn(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

/** Creates an empty database on all nodes, replacing one of the same name. */
export async function createOnCluster(nodes: readonly string[], database: string): Promise<void> {
  for (const node of nodes) {
    await runStatements(
      node,
      `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`,
      `CREATE DATABASE ${database}`,
    );
    await runStatements(databaseUrlOn(node, database), 'CREATE EXTENSION citus');
  }
  const [first = '', ...others] = nodes;
  const join = (node: string) => {
    const { hostname, port } = new URL(node);
    return `('${hostname}', ${port})`;
  };
  await runStatements(
    databaseUrlOn(first, database),
    `SELECT citus_set_coordinator_host${join(first)}`,
    ...others.map((node) => `SELECT citus_add_node${join(node)}`),
    ...settingsOf(database),
  );
}

/** Copies a database that has no connections. */
export async function copyOnCluster(
  nodes: readonly string[],
  { from, to }: { from: string; to: string },
): Promise<void> {
  for (const node of nodes) await runStatements(node, `CREATE DATABASE ${to} TEMPLATE ${from}`);
  await runStatements(nodes[0] ?? '', ...settingsOf(to));
}

const DROP_TRIES = 10;

/**
 * Drops a database on each node. Retries because the nodes' own sessions reconnect briefly and
 * finish prepared transactions there.
 */
export async function dropOnCluster(nodes: readonly string[], database: string): Promise<void> {
  for (const node of nodes) {
    for (let attempt = 1; ; attempt++) {
      try {
        await runStatements(node, `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
        break;
      } catch (error) {
        if (attempt >= DROP_TRIES) throw error;
        await sleep(1_000);
      }
    }
  }
}

/** Allows no new connections to the database and ends the nodes' maintenance sessions in it. */
export async function quiet(nodes: readonly string[], database: string): Promise<void> {
  for (const node of nodes) {
    await runStatements(
      node,
      `ALTER DATABASE ${database} ALLOW_CONNECTIONS false`,
      `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${database}'`,
    );
  }
}

function settingsOf(database: string): string[] {
  return [
    `ALTER DATABASE ${database} SET citus.shard_count = ${SHARDS}`,
    // Tests of failing statements use a trigger to make them fail.
    `ALTER DATABASE ${database} SET citus.enable_unsafe_triggers = on`,
  ];
}

/**
 * Executes a statement that returns at most one value on each node of a cluster, otherwise on the
 * one server; returns the results.
 */
export async function runOnEveryNode(db: Reader, statement: string): Promise<string[]> {
  const { rows } = (await isOnCluster(db))
    ? await sql<{
        result: string;
      }>`select result from run_command_on_all_nodes(${statement})`.execute(db)
    : await sql.raw<{ result: string }>(statement).execute(db);
  return rows.map(({ result }) => result);
}
