// Listens for notifications of new work (LISTEN), over one connection for all senders of a process.
// While the connection is lost, senders only poll.
import type { PoolClient } from 'pg';
import { type Db, getPool } from '#platform/server/database/database.ts';
import { log } from '#platform/server/log.ts';
import { listenStatement } from '../ledger/messages.sql.ts';

const REOPEN_AFTER_MS = 1_000;

/**
 * `accountId` is the account with work; 0 means all accounts. `isReload`: cached messages of the
 * account may be stale.
 */
type OnWork = (accountId: number, isReload: boolean) => void;
type DeliveryListener = { callbacks: Set<OnWork>; close(): Promise<void> };

const listeners = new WeakMap<Db, DeliveryListener>();

/**
 * Calls `onWork` at each notification, and for all accounts each time that the connection has been
 * opened, because notifications may have been missed. Returns a function that stops listening.
 */
export function listenForWork(db: Db, onWork: OnWork): () => Promise<void> {
  let listener = listeners.get(db);
  if (!listener) {
    listener = openListener(db);
    listeners.set(db, listener);
  }
  // Wrapped, so that a function that is registered twice is two callbacks.
  const callback: OnWork = (accountId, isReload) => onWork(accountId, isReload);
  const { callbacks } = listener;
  callbacks.add(callback);
  return async () => {
    callbacks.delete(callback);
    if (callbacks.size > 0 || listeners.get(db)?.callbacks !== callbacks) return;
    const existing = listeners.get(db);
    listeners.delete(db);
    await existing?.close();
  };
}

function openListener(db: Db): DeliveryListener {
  const callbacks = new Set<OnWork>();
  const notify = (accountId: number, isReload: boolean) => {
    for (const onWork of callbacks) onWork(accountId, isReload);
  };
  let client: PoolClient | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const drop = () => {
    client?.removeAllListeners('error').on('error', () => {});
    client?.release(true);
    client = undefined;
  };
  const reopenLater = () => {
    drop();
    // A connection that is lost during the statement fails twice: by its event and by the
    // statement.
    clearTimeout(timer);
    if (!isClosed) timer = setTimeout(() => (opening = openClient()), REOPEN_AFTER_MS);
  };
  const openClient = async () => {
    try {
      client = await getPool(db).connect();
      client.once('error', reopenLater);
      client.on('notification', ({ payload = '' }) => {
        const [accountId, isReload] = payload.split(' ');
        notify(Number(accountId) || 0, isReload !== undefined);
      });
      await client.query(listenStatement);
      notify(0, true);
    } catch (error) {
      log.warn('Could not listen for notifications of new work', {
        reason: (error as Error).message,
      });
      reopenLater();
    }
  };
  let opening = openClient();
  return {
    callbacks,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await opening;
      drop();
    },
  };
}
