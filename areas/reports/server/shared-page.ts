// Serves /shared/report/…, the report of a public link, to readers without an account.
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { LOCALE } from '#platform/languages.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { requestLanguage } from '#platform/server/http/errors.ts';
import { setPagePolicy } from '#platform/server/http/page-policy.ts';
import { sendPublicPage } from '#platform/server/http/public-page.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { createThrottle } from '#platform/server/limits/throttle.ts';
import { toNetwork } from '#platform/server/limits/visitor-network.ts';
import { REPORT_POLICY, renderReportPage } from './report-file/page.ts';
import { type ReportTables, buildReportTables } from './report-file/sections.ts';
import { findSharedReport, SHARED } from './sharing.ts';

type SharedReportRequest = FastifyRequest<{ Params: { token: string } }>;

/** A report reads many rows, so a network may load a dozen in a burst and then one per second. */
const admits = createThrottle({ capacity: 12, perSecond: 1 });

export const sharedReportPlugin: FastifyPluginAsync = async (app) => {
  app.publicPages.push({ pathPrefix: SHARED, sendNotFound: sendUnknown, sendError: sendUnknown });
  app.get(`${SHARED}:token`, async (request: SharedReportRequest, reply) => {
    const now = clock.now();
    if (!admits(toNetwork(request.ip), now.getTime())) return sendTooMany(request, reply);
    const report = await inTransaction(app.db, async (tx): Promise<ReportTables | undefined> => {
      const sharedReport = await findSharedReport(tx, request.params.token);
      return (
        sharedReport && buildReportTables(tx, sharedReport.accountId, sharedReport.campaignId, now)
      );
    }).catch(ignoreDeleted);
    if (!report) return sendUnknown(request, reply);
    return setPagePolicy(reply, REPORT_POLICY)
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'content-language': LOCALE[report.language],
        'cache-control': 'no-store, private',
        'referrer-policy': 'no-referrer',
        'x-robots-tag': 'noindex',
      })
      .send(renderReportPage(report));
  });
};

/** Shows the page of an unknown link if the campaign was deleted after it was shared. */
function ignoreDeleted(error: unknown): undefined {
  if (error instanceof AppError) return undefined;
  throw error;
}

function sendUnknown(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const language = requestLanguage(request);
  const t = serverTexts('reports', language);
  return sendPublicPage(
    reply,
    { language, heading: t('shared.gone'), text: [t('shared.goneText')] },
    404,
  );
}

function sendTooMany(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const language = requestLanguage(request);
  const t = serverTexts('reports', language);
  return sendPublicPage(
    reply.header('retry-after', '10'),
    { language, heading: t('shared.tooMany'), text: [] },
    429,
  );
}
