// Routes of exports.
import { type Route, serve } from '#platform/server/http/serve.ts';
import { calls } from '../contract.ts';
import * as exports from './exports.ts';
import { makeLink, openDownload, readDownload } from './links.ts';
import { startExport } from './start-export.ts';

export const exportRoutes: Route[] = serve('exports', calls, {
  startExport: async ({ tx, who, body }) =>
    exports.present(await startExport(tx, who, body), who.language),
  listExports: ({ tx, who, query }) =>
    exports.listExports(tx, who.accountId, query.list, who.language),
  readExport: ({ tx, who, params }) =>
    exports.readExport(tx, who.accountId, params.id, who.language),
  deleteExport: ({ tx, who, params }) => exports.deleteExport(tx, who.accountId, params.id),
  makeLink: ({ tx, who, params }) => makeLink(tx, who.accountId, params.id),
  readDownload: ({ tx, who, params }) => readDownload(tx, who.accountId, params.hash),
  download: async ({ db, who, params, reply }) => {
    const file = await openDownload(db, who.accountId, params.hash);
    return reply
      .type(file.type)
      .header('content-length', file.size)
      .header('content-disposition', `attachment; filename="${file.name}"`)
      .header('cache-control', 'no-store')
      .send(file.content);
  },
});
