// The worker role: background jobs and the pollers that find what is due.
import type { Config } from '#platform/server/config.ts';
import { startJobs } from '#platform/server/jobs.ts';
import { startPollers } from '#platform/server/pollers.ts';
import { boot } from './boot.ts';
import { allJobs, allPollers } from './wiring.ts';

export async function startWorker(config: Config): Promise<{ close(): Promise<void> }> {
  const app = await boot(config, 'worker');
  const jobs = await startJobs(app.db, allJobs);
  const pollers = startPollers(app.db, allPollers(config));
  return {
    async close() {
      await pollers.close();
      await jobs.close();
      await app.close();
    },
  };
}
