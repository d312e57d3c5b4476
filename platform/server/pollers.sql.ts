// The election: an advisory lock that lives as long as its connection.
import type { PoolClient } from 'pg';

export async function tryElection(client: PoolClient, limitMs: number): Promise<boolean> {
  const { rows } = await client.query<{ elected: boolean }>({
    text: 'select pg_try_advisory_lock(7305413) as elected',
    query_timeout: limitMs,
  });
  return rows[0]?.elected === true;
}

/** The server lets go of a machine that vanished after 25 seconds, not after the two hours of its system. */
export async function watchPeer(client: PoolClient, limitMs: number): Promise<void> {
  await client.query({
    text: `select set_config('tcp_keepalives_idle', '10', false),
      set_config('tcp_keepalives_interval', '5', false), set_config('tcp_keepalives_count', '3', false)`,
    query_timeout: limitMs,
  });
}

/** Fails where the server does not answer in time. */
export async function askAlive(client: PoolClient, limitMs: number): Promise<void> {
  await client.query({ text: 'select 1', query_timeout: limitMs });
}
