// The web role: API calls, public pages, the built client and the guide, and the SMTP servers for
// bounces and reports, for SMTP submission, and for the built-in inbox.
import path from 'node:path';
import { authenticate } from '#areas/accounts/server/index.ts';
import { processReturnedEmail, acceptsEmailFor } from '#areas/delivery/server/feedback/index.ts';
import {
  acceptsReportFor,
  MAX_REPORT_BYTES,
  receiveReport,
} from '#areas/deliverability/server/index.ts';
import { CannotStart } from '#platform/server/process/cannot-start.ts';
import type { Config } from '#platform/server/config.ts';
import type { Db } from '#platform/server/database/database.ts';
import { createServer } from '#platform/server/http/server.ts';
import { log } from '#platform/server/log.ts';
import { startHeartbeat } from '#platform/server/jobs/heartbeat.ts';
import { type Inbox, startInbox } from '#providers/inbox/index.ts';
import { startReturnPath } from '#providers/return-path/index.ts';
import type { SmtpPort } from '#providers/smtp-port.ts';
import { boot } from './boot.ts';
import { builtInPlugins } from './built-ins.ts';
import { guidePlugin } from './guide.ts';
import { buildGuide, GUIDE_FOLDER, isGuideStale } from './guide-build.ts';
import { warnIfNoFeedback } from './hooks.ts';
import { warnIfProxyIsUnset } from './proxy.ts';
import { startStatus } from './status.ts';
import { certificateFigures, startSubmissionServer } from './submission.ts';
import { smsHookPlugins } from './sms.ts';
import { allPlugins, allRoutes, allTags } from './wiring.ts';

const MAX_RETURNED_BYTES = 512 * 1024;

export async function startWeb(config: Config): Promise<{ close(): Promise<void>; port: number }> {
  const app = await boot(config, 'web');
  warnIfNoFeedback(config);
  warnIfProxyIsUnset(config);
  const certificates = certificateFigures(config);
  const status = await startStatus(config, app.db, 'web', { metrics: [certificates] });
  const inbox = await inboxOf(config);
  const returnPath = await returnPathOf(config, app.db);
  const submission = await startSubmissionServer(config, app.db);
  const server = await createServer({
    config,
    db: app.db,
    routes: allRoutes(config),
    tags: allTags(config),
    authenticate,
    plugins: [
      ...allPlugins(config),
      ...(await builtInPlugins(config, inbox)),
      ...smsHookPlugins(config),
      guidePlugin(GUIDE_FOLDER, { isStale: isGuideStale, build: buildGuide }),
    ],
    clientFolder: path.resolve(import.meta.dirname, '../dist/web'),
  });
  await server.listen({ port: config.port, host: config.host });
  const presence = await startHeartbeat(app.db, 'web');
  const address = server.server.address();
  return {
    port: typeof address === 'object' && address ? address.port : config.port,
    async close() {
      await server.close();
      await inbox?.close();
      await returnPath?.close();
      await submission?.close();
      await status.close();
      await presence.close();
      await app.close();
    },
  };
}

/** The SMTP server that receives bounces, DMARC reports and TLS reports; off unless configured. */
async function returnPathOf(config: Config, db: Db): Promise<SmtpPort | undefined> {
  const { bounceDomain, returnPath } = config;
  if (!bounceDomain || !returnPath) return undefined;
  return await startReturnPath({
    ...returnPath,
    handlers: [
      {
        accepts: (address) => acceptsEmailFor(address, bounceDomain),
        handle: (email) => processReturnedEmail(db, email),
        // A bounce report may contain the whole message, but its beginning is sufficient.
        maxBytes: MAX_RETURNED_BYTES,
      },
      {
        accepts: acceptsReportFor,
        handle: (email) => receiveReport(db, email),
        maxBytes: MAX_REPORT_BYTES,
        maxInMemory: 4,
      },
    ],
    onError: (error) => log.error('Could not accept a returned email', { error }),
  }).catch((error: { code?: string }) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new CannotStart(`The port in RETURN_SMTP_PORT (${returnPath.port}) is in use.`);
  });
}

/** The inbox runs only if no relay is configured, and never in production. */
async function inboxOf(config: Config): Promise<Inbox | undefined> {
  if (config.smtpUrl !== undefined || config.isProduction) return undefined;
  return await startInbox({ dataDir: config.dataDir, port: config.inboxSmtpPort, log });
}
