// Wakes listeners of a channel once a transaction has committed. Within it, PostgreSQL makes every commit wait
// for the one before (NOTIFY takes a lock of all the server, held over the flush): programs that send at once
// would be answered one by one. It may be lost, so whoever listens looks by itself now and then.
import { afterCommit, type Db } from './database.ts';
import { notify } from './live.sql.ts';
import { log } from './log.ts';

/** Equal ones within this are one. */
const GATHER_MS = 5;

let teller: Db | undefined;
const waiting = new Map<string, Set<string>>();
let gathering: NodeJS.Timeout | undefined;

/** Once per process; without it `notifyLater` answers false. */
export function configureNotices(db: Db): void {
  teller = db;
}

/** False where this process has no database to tell by: the caller tells within its transaction. */
export function notifyLater(channel: string, payload: string): boolean {
  if (!teller) return false;
  afterCommit(() => {
    const payloads = waiting.get(channel) ?? new Set();
    waiting.set(channel, payloads.add(payload));
    gathering ??= setTimeout(() => void tellAll(), GATHER_MS);
  });
  return true;
}

async function tellAll(): Promise<void> {
  gathering = undefined;
  const all = [...waiting];
  waiting.clear();
  for (const [channel, payloads] of all) {
    if (!teller) return;
    await notify(teller, [...payloads], channel).catch((error: Error) =>
      log.debug('Could not notify listeners', { channel, error: error.message }),
    );
  }
}
