// The election: an advisory lock that lives as long as its connection.
import type { PoolClient } from 'pg';

export async function tryElection(client: PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ elected: boolean }>(
    'select pg_try_advisory_lock(7305413) as elected',
  );
  return rows[0]?.elected === true;
}
