// A process's sign of life in the database. By it others know that it is there, also where it idles without a
// session, or where a pooler stands between; and whose jobs are to be taken up once it is silent.
import { randomUUID } from 'node:crypto';
import { clock } from './clock.ts';
import type { Db } from './database.ts';
import { beat, forgetProcess } from './jobs.sql.ts';
import { log } from './log.ts';
import { processFacts } from './process-facts.ts';

const BEAT_MS = 10_000;
/** Who was not heard of for so long is taken for gone. */
export const SILENT_MS = 30_000;

export type Presence = {
  processId: string;
  /** Takes the sign back. */
  close(): Promise<void>;
};

/** Tells every ten seconds that the process is there; `workers` are the job queue's names for it. */
export async function showPresence(
  db: Db,
  role: string,
  options: {
    workers?: string[];
    onBeat?: () => Promise<void>;
    /** What the role says of itself besides, for the operator's page. */
    facts?: () => Record<string, unknown>;
  } = {},
): Promise<Presence> {
  const { workers = [], onBeat, facts } = options;
  const id = `${role}-${process.pid}-${randomUUID().slice(0, 8)}`;
  const startedAt = clock.now();
  const tick = async () => {
    try {
      const told = { ...(await processFacts()), ...facts?.() };
      await beat(db, { id, role, workers, startedAt, at: clock.now(), facts: told });
      await onBeat?.();
    } catch (error) {
      log.warn('Could not write the heartbeat', { error: (error as Error).message });
    }
  };
  let beating = tick();
  await beating;
  const timer = setInterval(() => (beating = tick()), BEAT_MS);
  return {
    processId: id,
    async close() {
      clearInterval(timer);
      // A sign that is on its way came after the farewell, and stayed.
      await beating;
      // Where its jobs stayed locked, its row is what frees them: others look after it once it is silent.
      await forgetProcess(db, id, workers).catch(() => {});
    },
  };
}
