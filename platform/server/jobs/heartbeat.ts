// A process's heartbeat in the database. It shows other processes that this one is alive, even if
// it is idle without a session or behind a pooler, and which jobs to recover after it has gone
// silent.
import { randomUUID } from 'node:crypto';
import { clock } from '../clock.ts';
import type { Db } from '../database/database.ts';
import { saveHeartbeat, deleteProcess } from './jobs.sql.ts';
import { log } from '../log.ts';
import { processFacts } from '../process/process-facts.ts';

const HEARTBEAT_MS = 10_000;
/** A process silent for this long is treated as dead. */
export const EXPIRY_MS = 30_000;

export type Heartbeat = {
  processId: string;
  /** Stops the heartbeat. Deletes its row unless a job of this process is still locked. */
  close(): Promise<void>;
};

/** Sends a heartbeat every ten seconds; `workers` are the job queue's names for the process. */
export async function startHeartbeat(
  db: Db,
  role: string,
  options: {
    workers?: string[];
    onHeartbeat?: () => Promise<void>;
    /** Further data of the role for the operator's page. */
    getDetails?: () => Record<string, unknown>;
  } = {},
): Promise<Heartbeat> {
  const { workers = [], onHeartbeat, getDetails } = options;
  const id = `${role}-${process.pid}-${randomUUID().slice(0, 8)}`;
  const startedAt = clock.now();
  const tick = async () => {
    try {
      const details = { ...(await processFacts()), ...getDetails?.() };
      await saveHeartbeat(db, { id, role, workers, startedAt, at: clock.now(), facts: details });
      await onHeartbeat?.();
    } catch (error) {
      log.warn('Could not write the heartbeat', { reason: (error as Error).message });
    }
  };
  let pendingHeartbeat = tick();
  await pendingHeartbeat;
  const timer = setInterval(() => (pendingHeartbeat = tick()), HEARTBEAT_MS);
  return {
    processId: id,
    async close() {
      clearInterval(timer);
      // A heartbeat in flight would arrive after the deletion and remain.
      await pendingHeartbeat;
      // Jobs of this process may still be locked. Other processes need this row to free them once
      // the process is silent.
      await deleteProcess(db, id, workers).catch(() => {});
    },
  };
}
