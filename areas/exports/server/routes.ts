// Routes for exports.
import { type Route, createRoutes } from '#platform/server/http/serve.ts';
import { calls } from '../contract.ts';
import * as exports from './exports.ts';
import { makeLink, findDownload, readDownload } from './links.ts';
import { startExport } from './start-export.ts';

export const exportRoutes: Route[] = createRoutes('exports', calls, {
  startExport: async ({ tx, caller, body }) =>
    exports.presentExport(await startExport(tx, caller, body), caller.language),
  listExports: ({ tx, caller, query }) =>
    exports.listExports(tx, caller.accountId, query.list, caller.language),
  readExport: ({ tx, caller, params }) =>
    exports.readExport(tx, caller.accountId, params.id, caller.language),
  deleteExport: ({ tx, caller, params }) => exports.deleteExport(tx, caller.accountId, params.id),
  makeLink: ({ tx, caller, params }) => makeLink(tx, caller.accountId, params.id),
  readDownload: ({ tx, caller, params }) => readDownload(tx, caller.accountId, params.hash),
  download: async ({ db, caller, params, reply }) => {
    const file = await findDownload(db, caller.accountId, params.hash);
    return reply
      .type(file.type)
      .header('content-length', file.size)
      .header('content-disposition', `attachment; filename="${file.name}"`)
      .header('cache-control', 'no-store')
      .send(file.content);
  },
});
