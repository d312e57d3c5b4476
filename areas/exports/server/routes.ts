// Routes of exports.
import { type Route, serve } from '#platform/server/http/serve.ts';
import { calls } from '../contract.ts';
import * as exports from './exports.ts';
import { makeLink, openDownload, readDownload } from './links.ts';
import { startExport } from './start-export.ts';

export const exportRoutes: Route[] = serve('exports', calls, {
  startExport: async ({ tx, who, body }) => ({
    data: exports.present(await startExport(tx, who, body), who.language),
  }),
  listExports: ({ tx, who, query }) =>
    exports.listExports(tx, who.accountId, query.list, who.language),
  readExport: async ({ tx, who, params }) => ({
    data: await exports.readExport(tx, who.accountId, params.id, who.language),
  }),
  deleteExport: async ({ tx, who, params }) => {
    await exports.deleteExport(tx, who.accountId, params.id);
    return { success: true as const };
  },
  makeLink: async ({ tx, who, params }) => ({
    data: await makeLink(tx, who.accountId, params.id),
  }),
  readDownload: async ({ tx, who, params }) => ({
    data: await readDownload(tx, who.accountId, params.hash),
  }),
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
