// Routes of reports.
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { endedSignal, streamAnswer } from '#platform/server/http/event-stream.ts';
import { type Context, type Handlers, type Route, serve } from '#platform/server/http/serve.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { calls } from '../contract.ts';
import { saveWindows, windowsOf } from './attribution.ts';
import { exportActions, listActions, listLinkClicks } from './actions.ts';
import { listLinks, readHeatmap, readLink } from './links.ts';
import { readOverview } from './overview.ts';
import { listDomains, listGroups, readSpread } from './parts.ts';
import { reportCsv } from './report-file/csv.ts';
import { writeReportPdf } from './report-file/write-pdf.ts';
import { reportTables } from './report-file/sections.ts';
import * as sharing from './sharing.ts';
import { summarizeReport } from './summary.ts';
import { readTimes } from './times.ts';

async function sendActions(context: Context<typeof calls.exportActions>) {
  const { db, who, params, query, reply } = context;
  const texts = serverTexts('reports', who.language);
  const file = await exportActions(db, who.accountId, params.id, query, texts);
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${query.action}.csv"`)
    .send(file);
}

async function sendReport(context: Context<typeof calls.exportReport>) {
  const { db, who, params, query, reply } = context;
  const now = clock.now();
  const report = await inTransaction(db, (tx) =>
    reportTables(tx, who.accountId, params.id, now, who.language),
  );
  const isPdf = query.format === 'pdf';
  return reply
    .type(isPdf ? 'application/pdf' : 'text/csv; charset=utf-8')
    .header(
      'content-disposition',
      `attachment; filename="report-${encodeId('campaign', params.id)}.${query.format}"`,
    )
    .send(isPdf ? await writeReportPdf(report, now) : reportCsv(report));
}

const summaries: Pick<Handlers<typeof calls>, 'summarizeReport' | 'streamSummary'> = {
  summarizeReport: ({ db, who, params, body, reply }) =>
    summarizeReport(db, who, params.id, body.is_confirmed, { signal: endedSignal(reply) }),
  streamSummary: ({ db, who, params, request, reply }) =>
    streamAnswer(request, reply, (onText, signal) =>
      summarizeReport(db, who, params.id, true, { signal, onText }),
    ),
};

export function reportRoutes(publicUrl: string): Route[] {
  return serve(
    'reports',
    calls,
    {
      ...summaries,
      getOverview: ({ tx, who, params, query: { variant } }) =>
        readOverview(tx, who.accountId, params.id, { isOwners: true, variant }),
      getTimes: ({ tx, who, params, query }) =>
        readTimes(tx, who.accountId, params.id, query.variant),
      listDevices: ({ tx, who, params, query }) =>
        readSpread(tx, who.accountId, params.id, 'device', query.variant),
      listCountries: ({ tx, who, params, query }) =>
        readSpread(tx, who.accountId, params.id, 'country', query.variant),
      listDomains: ({ tx, who, params, query }) =>
        listDomains(tx, who.accountId, params.id, query.variant),
      listLinks: ({ tx, who, params, query }) => listLinks(tx, who.accountId, params.id, query),
      getHeatmap: ({ tx, who, params, query }) =>
        readHeatmap(tx, who.accountId, params.id, query.variant),
      getLink: ({ tx, who, params, query }) =>
        readLink(tx, who.accountId, params.id, params.link_id, query.variant),
      listLinkClicks: ({ tx, who, params, query }) =>
        listLinkClicks(tx, who.accountId, params.id, params.link_id, query),
      listActions: ({ tx, who, params, query }) => listActions(tx, who.accountId, params.id, query),
      exportActions: sendActions,
      exportReport: sendReport,
      getReportLink: ({ tx, who, params }) =>
        sharing.readLink(tx, who.accountId, params.id, publicUrl),
      shareReport: ({ tx, who, params, body }) =>
        sharing.share(tx, who.accountId, params.id, body.days, publicUrl),
      unshareReport: async ({ tx, who, params }) => {
        await sharing.unshare(tx, who.accountId, params.id);
        return null;
      },
      getAttribution: ({ tx, who }) => windowsOf(tx, who.accountId),
      saveAttribution: ({ tx, who, body }) => saveWindows(tx, who.accountId, body),
      listGroups: ({ tx, who, params, query }) => listGroups(tx, who.accountId, params.id, query),
    },
    {},
    'models',
  );
}
