// The worker role: background jobs and the pollers that find what is due.
import type { Config } from '#platform/server/config.ts';
import { queueFigures, type RunningJobs, startJobs } from '#platform/server/jobs.ts';
import { startPollers } from '#platform/server/pollers.ts';
import { boot } from './boot.ts';
import type { Running } from './role.ts';
import { startStatus } from './status.ts';
import { allJobs, allPollers } from './wiring.ts';

export async function startWorker(config: Config): Promise<Running> {
  const app = await boot(config, 'worker');
  let jobs: RunningJobs | undefined;
  const status = await startStatus(config, app.db, {
    check() {
      if (!jobs) throw new Error('The worker is starting.');
      jobs.check();
    },
    figures: () => queueFigures(app.db),
  });
  const running = (jobs = await startJobs(app.db, allJobs(config)));
  const pollers = startPollers(app.db, allPollers(config));
  return {
    async close() {
      await pollers.close();
      await running.close();
      await status.close();
      await app.close();
    },
  };
}
