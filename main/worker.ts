// The worker role: background jobs and the pollers that find what is due.
import type { Config } from '#platform/server/config.ts';
import { startJobs } from '#platform/server/jobs.ts';
import { boot } from './boot.ts';
import { allJobs } from './wiring.ts';

export async function startWorker(config: Config): Promise<{ close(): Promise<void> }> {
  const app = await boot(config, 'worker');
  const jobs = await startJobs(app.db, allJobs);
  return {
    async close() {
      await jobs.close();
      await app.close();
    },
  };
}
