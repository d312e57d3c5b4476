// Calls of transactional emails, each defined as one line.
import { readMember } from '#areas/accounts/server/index.ts';
import { composingRoutes, type SendingOptions } from '#areas/content/server/index.ts';
import { readSentHtml } from '#areas/delivery/server/ledger/index.ts';
import { encodeId } from '#platform/ids.ts';
import { AppError } from '#platform/server/errors.ts';
import { type Route, serve } from '#platform/server/http/serve.ts';
import { answerList } from '#platform/server/database/lists.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { calls } from '../contract.ts';
import * as emails from './emails.ts';
import * as store from './emails.sql.ts';
import { exportActivity, presentActivity, readSentEmail, reportOf } from './report.ts';
import { type SubmissionPorts, setupOf } from './setup.ts';
import { createSmtpUser, deleteSmtpUser, listSmtpUsers } from './smtp-users.ts';

export function transactionalRoutes(options: SendingOptions, smtp: SubmissionPorts): Route[] {
  const own = serve('transactional', calls, {
    listEmails: async ({ tx, who, query }) => ({
      ...(await emails.listEmails(tx, who.accountId, query.list)),
      other: await emails.readOther(tx, who.accountId),
    }),
    createEmail: ({ tx, who, body }) => emails.createEmail(tx, who, body),
    readEmail: ({ tx, who, params }) => emails.readReported(tx, who.accountId, params.id),
    updateEmail: ({ tx, who, params, body: { revision, ...settings } }) =>
      emails.updateEmail(tx, who.accountId, params.id, revision, settings),
    deleteEmail: ({ tx, who, params }) => emails.deleteEmail(tx, who.accountId, params.id),
    duplicateEmail: ({ tx, who, params }) => emails.duplicateEmail(tx, who, params.id),
    readReport: ({ tx, who, params, query }) => reportOf(tx, who.accountId, params.id, query),
    listActivity: async ({ tx, who, params, query: { list, kind } }) => {
      await emails.requireReported(tx, who.accountId, params.id);
      const filter = { id: params.id, kind, search: list.search };
      return answerList(
        list,
        {
          rows: (slice) => store.listActivity(tx, who.accountId, filter, list.direction, slice),
          total: () => store.countActivity(tx, who.accountId, filter),
        },
        (row) => presentActivity(who.accountId, row),
      );
    },
    readSentEmail: ({ db, who, params }) =>
      readSentEmail(db, who.accountId, params.id, params.email),
    exportActivity: async ({ db, who, params, query: { kind }, reply }) => {
      const texts = serverTexts('transactional', who.language);
      const file = await exportActivity(db, who.accountId, params.id, kind, texts);
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="${kind}.csv"`)
        .send(file);
    },
    readHeatmap: async ({ tx, who, params }) => {
      await emails.requireReported(tx, who.accountId, params.id);
      const messageId = await store.newestMessage(tx, who.accountId, params.id);
      if (messageId === undefined) throw new AppError('not_sent_yet');
      const html = await readSentHtml(tx, who.accountId, messageId, (at) => `#link-${at}`);
      return { html: html ?? null, links: await store.readLinks(tx, who.accountId, messageId) };
    },
    readSetup: async ({ tx, who, params }) => {
      const variables = await emails.sampleCall(tx, who.accountId, params.id);
      const user = await readMember(tx, who.accountId, who.userId);
      const id = encodeId('transactional', params.id);
      const sender = user?.email ?? '';
      return setupOf({ id, to: sender, variables, publicUrl: options.publicUrl, smtp });
    },
    listSmtpUsers: async ({ tx, who, query }) => {
      const page = await listSmtpUsers(tx, who.accountId, query.list);
      const { hostname: host } = new URL(options.publicUrl);
      const { port = null, tlsPort: tls_port = null } = smtp;
      return { ...page, server: { host, port, tls_port } };
    },
    createSmtpUser: ({ tx, who, body }) => createSmtpUser(tx, who, body.title),
    deleteSmtpUser: ({ tx, who, params }) => deleteSmtpUser(tx, who.accountId, params.id),
  });
  return [...own, ...composingRoutes(emails.transactionalEmails, options)];
}
