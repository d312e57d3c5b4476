// The calls of imports, each as a sentence.
import { readAccount } from '#areas/accounts/server/index.ts';
import { type Route, serve } from '#platform/server/http/serve.ts';
import { AppError } from '#platform/server/errors.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { calls } from '../contract.ts';
import * as imports from './imports.ts';
import { rejectedCsv } from './rejected-rows.ts';
import { startImport, type ImportSettings } from './start-import.ts';
import { pastedBytes, readPreview, takeIn } from './take-in.ts';

const megabyte = 1024 * 1024;

export function importRoutes(options: { maxMegabytes: number }): Route[] {
  const maxBytes = options.maxMegabytes * megabyte;
  return serve('imports', calls, {
    importFile: async ({ db, who, request }) => {
      const part = request.isMultipart()
        ? await request.file({ limits: { fileSize: maxBytes + 1, files: 1, fields: 10 } })
        : undefined;
      if (part === undefined) throw new AppError('file_missing');
      const fileName = nameOf(part.filename);
      const bytes = part.file as AsyncIterable<Buffer>;
      return { data: await takeIn(db, { ...who, method: 'file', fileName, bytes, maxBytes }) };
    },
    importText: async ({ db, who, body }) => {
      const bytes = pastedBytes(body.subscribers);
      async function* once() {
        yield bytes;
      }
      const upload = { ...who, method: 'text' as const, fileName: '', bytes: once(), maxBytes };
      return { data: await takeIn(db, upload) };
    },
    readPreview: async ({ tx, who, params, query }) => ({
      data: await readPreview(tx, who.accountId, params.id, query),
    }),
    startImport: async ({ tx, who, body }) => {
      const row = await startImport(tx, who, body);
      const [data] = await imports.presentImports(tx, who.accountId, [row], who.language);
      if (data === undefined) throw new AppError('not_found');
      return { data };
    },
    listImports: ({ tx, who, query }) =>
      imports.listImports(tx, who.accountId, query.list, who.language),
    readImport: async ({ tx, who, params }) => {
      const row = await imports.readImport(tx, who.accountId, params.id);
      const [data] = await imports.presentImports(tx, who.accountId, [row], who.language);
      if (data === undefined) throw new AppError('not_found');
      return { data };
    },
    readRejected: async ({ db, who, params, reply }) => {
      const row = await imports.readImport(db, who.accountId, params.id);
      await readAccount(db, who.accountId);
      const settings = row.settings as unknown as ImportSettings;
      const titles = Array.from({ length: settings.width }, (_, i) => {
        const column = settings.columns.find((one) => one.column === i);
        return column?.title ?? '';
      });
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', 'attachment; filename="rejected.csv"')
        .send(rejectedCsv(db, row, titles, serverTexts('imports', who.language)));
    },
  });
}

/** The last part of what the browser calls the file, without anything that a header or screen minds. */
function nameOf(filename: string | undefined): string {
  const last = (filename ?? '').split(/[/\\]/).at(-1) ?? '';
  return last.replace(/\p{C}/gu, '').slice(0, 255) || 'contacts';
}
