// The door of transactional email.
import { sendingOptions } from '#areas/content/server/index.ts';
import type { Area } from '#platform/server/area.ts';
import type { Config } from '#platform/server/config.ts';
import { publicTransactionalRoutes } from './public-routes.ts';
import { transactionalRoutes } from './routes.ts';

export function area(config: Config): Area {
  const options = sendingOptions(config);
  return {
    name: 'transactional',
    routes: [
      ...transactionalRoutes(options, config.submission),
      ...publicTransactionalRoutes(options),
    ],
  };
}

export { type SmtpUser, signInBySmtp } from './smtp-users.ts';
export { type Submission, submitMail } from './submit.ts';
