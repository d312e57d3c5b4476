// Arguments of `npm run backup` and `npm run restore`: the backup folder and the number of
// connections.
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { CannotStart } from '#platform/server/process/cannot-start.ts';

const MAX_CONNECTIONS = 64;
/** Two per processor, because each also waits for the database and the disk; at most eight. */
const defaultConnections = () => Math.min(8, 2 * availableParallelism());

export function parseCopyArguments(command: 'backup' | 'restore'): {
  target: string;
  connections: number;
} {
  const { values, positionals } = parsed(command);
  const [target, ...others] = positionals;
  if (!target || others.length > 0) {
    throw new CannotStart(`Specify the folder: npm run ${command} -- <folder>`);
  }
  const connections =
    values.connections === undefined ? defaultConnections() : Number(values.connections);
  if (!Number.isInteger(connections) || connections < 1 || connections > MAX_CONNECTIONS) {
    throw new CannotStart(`--connections must be a whole number from 1 to ${MAX_CONNECTIONS}.`);
  }
  return { target: path.resolve(target), connections };
}

function parsed(command: string) {
  try {
    return parseArgs({ allowPositionals: true, options: { connections: { type: 'string' } } });
  } catch (error) {
    throw new CannotStart(
      `${(error as Error).message} npm run ${command} -- <folder> [--connections 4]`,
    );
  }
}
