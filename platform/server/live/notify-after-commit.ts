// Notifies a channel after a transaction has committed. NOTIFY inside a transaction serializes all
// commits of the server (it takes a server-wide lock that is held over the flush), so concurrent
// senders would wait for each other. Notifications may be lost; listeners also poll.
import { afterCommit, type Db } from '../database/database.ts';
import { notify } from './live.sql.ts';
import { log } from '../log.ts';

/** Identical notifications within this time are merged. */
const GATHER_MS = 5;

let notifier: Db | undefined;
const waiting = new Map<string, Set<string>>();
let gathering: NodeJS.Timeout | undefined;

/**
 * Sets the database for notifications, once per process; until then, `notifyLater` returns false.
 */
export function configureNotices(db: Db): void {
  notifier = db;
}

/**
 * Returns false if this process has no database for notifications; the caller then notifies within
 * its transaction.
 */
export function notifyLater(channel: string, payload: string): boolean {
  if (!notifier) return false;
  afterCommit(() => {
    const payloads = waiting.get(channel) ?? new Set();
    waiting.set(channel, payloads.add(payload));
    gathering ??= setTimeout(() => void flushNotifications(), GATHER_MS);
  });
  return true;
}

async function flushNotifications(): Promise<void> {
  gathering = undefined;
  const all = [...waiting];
  waiting.clear();
  for (const [channel, payloads] of all) {
    if (!notifier) return;
    await notify(notifier, [...payloads], channel).catch((error: Error) =>
      log.debug('Could not notify listeners', { channel, reason: error.message }),
    );
  }
}
