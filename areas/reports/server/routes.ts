// Serves the calls of reports and attribution.
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { createCloseSignal, streamResponse } from '#platform/server/http/event-stream.ts';
import {
  type CallContext,
  type Handlers,
  type Route,
  createRoutes,
} from '#platform/server/http/serve.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { calls } from '../contract.ts';
import { saveWindows, readAttributionWindows } from './attribution.ts';
import { exportActions, listActions, listLinkClicks } from './actions.ts';
import { listLinks, readHeatmap, readLink } from './links.ts';
import { readOverview } from './overview.ts';
import { listDomains, listGroups, readSpread } from './parts.ts';
import { renderReportCsv } from './report-file/csv.ts';
import { writeReportPdf } from './report-file/write-pdf.ts';
import { buildReportTables } from './report-file/sections.ts';
import * as sharing from './sharing.ts';
import { summarizeReport } from './summary.ts';
import { readTimes } from './times.ts';

async function sendActions(context: CallContext<typeof calls.exportActions>) {
  const { db, caller, params, query, reply } = context;
  const texts = serverTexts('reports', caller.language);
  const file = await exportActions(db, caller.accountId, params.id, query, texts);
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${query.action}.csv"`)
    .send(file);
}

async function sendReport(context: CallContext<typeof calls.exportReport>) {
  const { db, caller, params, query, reply } = context;
  const now = clock.now();
  const report = await inTransaction(db, (tx) =>
    buildReportTables(tx, caller.accountId, params.id, now, caller.language),
  );
  const isPdf = query.format === 'pdf';
  return reply
    .type(isPdf ? 'application/pdf' : 'text/csv; charset=utf-8')
    .header(
      'content-disposition',
      `attachment; filename="report-${encodeId('campaign', params.id)}.${query.format}"`,
    )
    .send(isPdf ? await writeReportPdf(report, now) : renderReportCsv(report));
}

const summaries: Pick<Handlers<typeof calls>, 'summarizeReport' | 'streamSummary'> = {
  summarizeReport: ({ db, caller, params, body, reply }) =>
    summarizeReport(db, caller, params.id, body.is_confirmed, { signal: createCloseSignal(reply) }),
  streamSummary: ({ db, caller, params, request, reply }) =>
    streamResponse(request, reply, (onText, signal) =>
      summarizeReport(db, caller, params.id, true, { signal, onText }),
    ),
};

export function reportRoutes(publicUrl: string): Route[] {
  return createRoutes(
    'reports',
    calls,
    {
      ...summaries,
      getOverview: ({ tx, caller, params, query: { variant } }) =>
        readOverview(tx, caller.accountId, params.id, { isOwners: true, variant }),
      getTimes: ({ tx, caller, params, query }) =>
        readTimes(tx, caller.accountId, params.id, query.variant),
      listDevices: ({ tx, caller, params, query }) =>
        readSpread(tx, caller.accountId, params.id, 'device', query.variant),
      listCountries: ({ tx, caller, params, query }) =>
        readSpread(tx, caller.accountId, params.id, 'country', query.variant),
      listDomains: ({ tx, caller, params, query }) =>
        listDomains(tx, caller.accountId, params.id, query.variant),
      listLinks: ({ tx, caller, params, query }) =>
        listLinks(tx, caller.accountId, params.id, query),
      getHeatmap: ({ tx, caller, params, query }) =>
        readHeatmap(tx, caller.accountId, params.id, query.variant),
      getLink: ({ tx, caller, params, query }) =>
        readLink(tx, caller.accountId, params.id, params.link_id, query.variant),
      listLinkClicks: ({ tx, caller, params, query }) =>
        listLinkClicks(tx, caller.accountId, params.id, params.link_id, query),
      listActions: ({ tx, caller, params, query }) =>
        listActions(tx, caller.accountId, params.id, query),
      exportActions: sendActions,
      exportReport: sendReport,
      getReportLink: ({ tx, caller, params }) =>
        sharing.readLink(tx, caller.accountId, params.id, publicUrl),
      shareReport: ({ tx, caller, params, body }) =>
        sharing.shareReport(tx, caller.accountId, params.id, body.days, publicUrl),
      unshareReport: async ({ tx, caller, params }) => {
        await sharing.unshareReport(tx, caller.accountId, params.id);
        return null;
      },
      getAttribution: ({ tx, caller }) => readAttributionWindows(tx, caller.accountId),
      saveAttribution: ({ tx, caller, body }) => saveWindows(tx, caller.accountId, body),
      listGroups: ({ tx, caller, params, query }) =>
        listGroups(tx, caller.accountId, params.id, query),
    },
    {},
    'models',
  );
}
