// Sends the last statements of a transaction and its COMMIT in one round trip. The results of these
// statements are dropped.
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import { COMMIT, hasParsed, sendTogether } from './last-statements.ts';

/** Parsed once per connection, under its name. */
export type NamedStatement = { name: string; text: string; values: unknown[] };

type TakeLast = () => readonly NamedStatement[];
type Observe = (text: string, ms: number) => void;

/** Returns a pool with connections that send the statements of `takeLast` together with COMMIT. */
export function committingPool(pool: pg.Pool, takeLast: TakeLast, observe?: Observe): PostgresPool {
  // Kysely identifies a connection by its client object, so each client is wrapped only once.
  const wrappedClients = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => {
      const client = await pool.connect();
      const committing = wrappedClients.get(client) ?? committingClient(client, takeLast, observe);
      wrappedClients.set(client, committing);
      return committing;
    },
  };
}

export function committingClient(
  client: pg.PoolClient,
  takeLast: TakeLast,
  observe?: Observe,
): PostgresPoolClient {
  const send = client.query.bind(client) as (text: string, values: unknown) => Promise<unknown>;
  const query = (text: string, values?: readonly unknown[]): unknown => {
    const last = text === 'commit' ? takeLast() : [];
    return last.length === 0 ? send(text, values) : commitWith(client, last, observe);
  };
  return {
    query: query as unknown as PostgresPoolClient['query'],
    release: (isDestroyed) => client.release(isDestroyed),
  };
}

/**
 * Sends statements with COMMIT. If a statement fails, nothing is committed, and the error of this
 * statement is thrown.
 */
async function commitWith(
  client: pg.PoolClient,
  last: readonly NamedStatement[],
  observe: Observe | undefined,
): Promise<pg.QueryResult> {
  const startedAt = performance.now();
  const statements = [...last, COMMIT];
  if (hasParsed(client, statements)) {
    const observeAll = () => {
      for (const { text } of last) observe?.(text, performance.now() - startedAt);
    };
    return sendTogether(client, statements).finally(observeAll);
  }
  const { stream } = client.connection;
  setPipeline(client, true);
  stream.cork();
  const results = last.map((statement) => client.query(statement));
  const commitResult = client.query(COMMIT);
  stream.uncork();
  const outcomes = await Promise.allSettled([...results, commitResult]);
  setPipeline(client, false);
  for (const { text } of last) observe?.(text, performance.now() - startedAt);
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure) throw failure.reason;
  return commitResult;
}

/** Switches pipelining on or off: a connection that is always pipelined would refuse COPY. */
function setPipeline(client: { pipeline: boolean }, isOn: boolean): void {
  client.pipeline = isOn;
}
