// Leader election: an advisory lock that lives as long as its connection.
import type { PoolClient, QueryConfig } from 'pg';

const withTimeout = (limitMs: number, text: string): QueryConfig & { query_timeout: number } => ({
  text,
  query_timeout: limitMs,
});

export async function tryAcquireLeadership(client: PoolClient, limitMs: number): Promise<boolean> {
  const { rows } = await client.query<{ elected: boolean }>(
    withTimeout(limitMs, 'select pg_try_advisory_lock(7305413) as elected'),
  );
  return rows[0]?.elected === true;
}

/**
 * Makes the database server close the connection of a vanished machine after 25 seconds. By default
 * it would take two hours.
 */
export async function enableKeepalives(client: PoolClient, limitMs: number): Promise<void> {
  await client.query(
    withTimeout(
      limitMs,
      `select set_config('tcp_keepalives_idle', '10', false),
        set_config('tcp_keepalives_interval', '5', false), set_config('tcp_keepalives_count', '3', false)`,
    ),
  );
}

/** Throws if the server does not respond in time. */
export async function assertConnectionAlive(client: PoolClient, limitMs: number): Promise<void> {
  await client.query(withTimeout(limitMs, 'select 1'));
}
