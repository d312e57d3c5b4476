// Serves transactional emails, their reports and SMTP users in the web app.
import { readMember } from '#areas/accounts/server/index.ts';
import { composingRoutes, type SendingOptions } from '#areas/content/server/index.ts';
import { readSentHtml } from '#areas/delivery/server/ledger/index.ts';
import { encodeId } from '#platform/ids.ts';
import { AppError } from '#platform/server/errors.ts';
import { type Route, createRoutes } from '#platform/server/http/serve.ts';
import { buildListResponse } from '#platform/server/database/lists.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { calls } from '../contract.ts';
import * as emails from './emails.ts';
import * as store from './emails.sql.ts';
import { exportActivity, presentActivity, readSentEmail, buildReport } from './report.ts';
import { type SubmissionPorts, buildCodeSamples } from './setup.ts';
import { createSmtpUser, deleteSmtpUser, listSmtpUsers } from './smtp-users.ts';

export function transactionalRoutes(options: SendingOptions, smtp: SubmissionPorts): Route[] {
  const accountRoutes = createRoutes('transactional', calls, {
    listEmails: async ({ tx, caller, query }) => ({
      ...(await emails.listEmails(tx, caller.accountId, query.list)),
      other: await emails.readFiguresWithoutTemplate(tx, caller.accountId),
    }),
    createEmail: ({ tx, caller, body }) => emails.createEmail(tx, caller, body),
    readEmail: ({ tx, caller, params }) => emails.readReported(tx, caller.accountId, params.id),
    updateEmail: ({ tx, caller, params, body: { revision, ...settings } }) =>
      emails.updateEmail(tx, caller.accountId, params.id, revision, settings),
    deleteEmail: ({ tx, caller, params }) => emails.deleteEmail(tx, caller.accountId, params.id),
    duplicateEmail: ({ tx, caller, params }) => emails.duplicateEmail(tx, caller, params.id),
    readReport: ({ tx, caller, params, query }) =>
      buildReport(tx, caller.accountId, params.id, query),
    listActivity: async ({ tx, caller, params, query: { list, kind } }) => {
      await emails.requireReported(tx, caller.accountId, params.id);
      const filter = { id: params.id, kind, search: list.search };
      return buildListResponse(
        list,
        {
          rows: (slice) => store.listActivity(tx, caller.accountId, filter, list.direction, slice),
          total: () => store.countActivity(tx, caller.accountId, filter),
        },
        (row) => presentActivity(caller.accountId, row),
      );
    },
    readSentEmail: ({ db, caller, params }) =>
      readSentEmail(db, caller.accountId, params.id, params.email),
    exportActivity: async ({ db, caller, params, query: { kind }, reply }) => {
      const t = serverTexts('transactional', caller.language);
      const file = await exportActivity(db, caller.accountId, params.id, kind, t);
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="${kind}.csv"`)
        .send(file);
    },
    readHeatmap: async ({ tx, caller, params }) => {
      await emails.requireReported(tx, caller.accountId, params.id);
      const messageId = await store.findNewestMessageId(tx, caller.accountId, params.id);
      if (messageId === undefined) throw new AppError('not_sent_yet');
      const html = await readSentHtml(tx, caller.accountId, messageId, (at) => `#link-${at}`);
      return { html: html ?? null, links: await store.readLinks(tx, caller.accountId, messageId) };
    },
    readSetup: async ({ tx, caller, params }) => {
      const variables = await emails.readSampleVariables(tx, caller.accountId, params.id);
      const recipient = (await readMember(tx, caller.accountId, caller.userId))?.email ?? '';
      const id = encodeId('transactional', params.id);
      return buildCodeSamples({ id, to: recipient, variables, publicUrl: options.publicUrl, smtp });
    },
    listSmtpUsers: async ({ tx, caller, query }) => {
      const page = await listSmtpUsers(tx, caller.accountId, query.list);
      const { hostname: host } = new URL(options.publicUrl);
      const { port = null, tlsPort: tls_port = null } = smtp;
      return { ...page, server: { host, port, tls_port } };
    },
    createSmtpUser: ({ tx, caller, body }) => createSmtpUser(tx, caller, body.title),
    deleteSmtpUser: ({ tx, caller, params }) => deleteSmtpUser(tx, caller.accountId, params.id),
  });
  return [...accountRoutes, ...composingRoutes(emails.transactionalEmails, options)];
}
