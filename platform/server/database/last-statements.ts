// Sends parsed statements together with COMMIT as one message to PostgreSQL: without a description
// of the results, and with one synchronization instead of one per statement.
import type pg from 'pg';
import { prepareValue } from 'pg/lib/utils.js';
import type { NamedStatement } from './commit.ts';

export const COMMIT: NamedStatement = { name: 'commit', text: 'commit', values: [] };

/** The parts of pg's connection that custom queries use. */
type Wire = {
  parsedStatements: Readonly<Record<string, string>>;
  bind(bound: {
    statement: string;
    values: readonly unknown[];
    valueMapper: (value: unknown) => unknown;
  }): void;
  execute(statement: object): void;
  sync(): void;
};
const wireOf = (client: pg.PoolClient) => client.connection as unknown as Wire;

/** Returns true if the connection has parsed all of these statements, according to pg. */
export function hasParsed(client: pg.PoolClient, statements: readonly NamedStatement[]): boolean {
  const { parsedStatements } = wireOf(client);
  return statements.every(({ name, text }) => parsedStatements[name] === text);
}

type Outcome = pg.QueryResult<never>;

/**
 * Sends parsed statements. Throws the error of the first one that fails; the statements after it,
 * even COMMIT, do not run.
 */
export function sendTogether(
  client: pg.PoolClient,
  statements: readonly NamedStatement[],
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    let command = '';
    const batch = {
      callback: (error?: Error) => {
        if (error) reject(error);
        else resolve({ command, rowCount: null, oid: 0, fields: [], rows: [] });
      },
      submit: () => {
        const wire = wireOf(client);
        client.connection.stream.cork();
        for (const { name, values } of statements) {
          wire.bind({ statement: name, values, valueMapper: prepareValue });
          wire.execute({});
        }
        wire.sync();
        client.connection.stream.uncork();
        return null;
      },
      handleCommandComplete: ({ text }: { text: string }) => {
        command = text;
      },
      handleDataRow: () => {},
      handleReadyForQuery: () => batch.callback(),
      handleError: (error: Error) => batch.callback(error),
    };
    client.query(batch);
  });
}
