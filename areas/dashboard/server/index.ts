// The public interface of the dashboard.
import { readSendingOptions } from '#areas/content/server/index.ts';
import type { Area } from '#platform/server/area.ts';
import type { Config } from '#platform/server/config.ts';
import { dashboardRoutes } from './routes.ts';
import { type SampleFiller, sampleJobs, sampleRoutes } from './sample.ts';

export function area(config: Config, { filler }: { filler: SampleFiller }): Area {
  const isTest =
    !config.isProduction && config.smtpUrl === undefined && config.smsUrl === undefined;
  const sample = { filler, isTest };
  const jobs = sampleJobs(sample);
  return {
    name: 'dashboard',
    description:
      'The dashboard: subscriber growth, sending, revenue and usage of the plan. Also the account with sample data.',
    jobs: [jobs.fill, jobs.remove],
    routes: [
      ...dashboardRoutes({
        sending: readSendingOptions(config),
        systemSender: config.systemSender ?? `sendloom@${new URL(config.publicUrl).hostname}`,
      }),
      ...sampleRoutes(sample, jobs),
    ],
  };
}
