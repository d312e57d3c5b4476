// Hears when there is something to send (LISTEN), over a connection of its own; where it is lost,
// polling goes on and it is opened again.
import type { PoolClient } from 'pg';
import { type Db, poolOf } from '#platform/server/database.ts';
import { log } from '#platform/server/log.ts';
import { listenStatement } from './messages.sql.ts';

const AGAIN_MS = 1_000;

export function listenForWork(db: Db, onWork: () => void): () => Promise<void> {
  let client: PoolClient | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const drop = () => {
    client?.removeAllListeners('error').on('error', () => {});
    client?.release(true);
    client = undefined;
  };
  const again = () => {
    drop();
    if (!isClosed) timer = setTimeout(() => (opening = open()), AGAIN_MS);
  };
  const open = async () => {
    try {
      client = await poolOf(db).connect();
      client.once('error', again);
      client.on('notification', onWork);
      await client.query(listenStatement);
      onWork();
    } catch (error) {
      log.warn('Cannot listen for work', { error: (error as Error).message });
      again();
    }
  };
  let opening = open();
  return async () => {
    isClosed = true;
    clearTimeout(timer);
    await opening;
    drop();
  };
}
