// The calls of imports.
import { setImmediate } from 'node:timers/promises';
import { readAccount } from '#areas/accounts/server/index.ts';
import { cutText } from '#platform/server/clean-text.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { readToEndIfRefused } from '#platform/server/http/refused-upload.ts';
import { type Caller, type Handlers, type Route, serve } from '#platform/server/http/serve.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { calls, type Import } from '../contract.ts';
import { presentFetching, readFetching, readLists, startFetching } from './fetch-lists.ts';
import { forecastImport, readForecast } from './forecast.ts';
import type { ImportRow } from './imports.sql.ts';
import * as imports from './imports.ts';
import { ingest, readPreview } from './ingest.ts';
import { pastedBytes } from './pasted.ts';
import { isRejectedOver, rejectedCsv } from './rejected-rows.ts';
import { startImport, valueTextsIn } from './start-import.ts';
import { unrestoredCsv, undoImport } from './undo.ts';
import { listUploads, removeUpload } from './uploads.ts';

const MEGABYTE = 1024 * 1024;

type OwnHandlers<Names extends keyof typeof calls> = Pick<Handlers<typeof calls>, Names>;
type Options = { maxMegabytes: number };

export const importRoutes = (options: Options): Route[] =>
  serve('imports', calls, { ...arriving(options), ...services, ...starting, ...results });

const arriving = ({
  maxMegabytes,
}: Options): OwnHandlers<'importFile' | 'importText' | 'readLimits'> => {
  const maxBytes = maxMegabytes * MEGABYTE;
  return {
    importFile: async ({ db, who, request }) => {
      const part = request.isMultipart()
        ? await request.file({ limits: { fileSize: maxBytes + 1, files: 1, fields: 10 } })
        : undefined;
      if (part === undefined) throw new AppError('file_missing');
      const fileName = nameOf(part.filename);
      const bytes = part.file as AsyncIterable<Buffer>;
      const upload = { ...who, method: 'file' as const, fileName, bytes, maxBytes };
      return readToEndIfRefused(request, () => ingest(db, upload));
    },
    importText: async ({ db, who, body }) => {
      // A list of the full length takes as long to read as to validate: other requests run between.
      await setImmediate();
      const bytes = pastedBytes(body.subscribers);
      async function* once() {
        yield bytes;
      }
      const upload = { ...who, method: 'text' as const, fileName: '', bytes: once(), maxBytes };
      return ingest(db, upload);
    },
    readLimits: async () => ({ file_megabytes: maxMegabytes }),
  };
};

const services: OwnHandlers<
  'listMailchimp' | 'importMailchimp' | 'importGetresponse' | 'readFetching'
> = {
  listMailchimp: ({ db, who, body }) => readLists(db, who.accountId, 'mailchimp', body.api_key),
  importMailchimp: async ({ db, who, body }) => {
    const order = { service: 'mailchimp' as const, apiKey: body.api_key, lists: body.lists };
    return presentFetching(await startFetching(db, who, order), who.language);
  },
  importGetresponse: async ({ db, who, body }) => {
    const order = { service: 'getresponse' as const, apiKey: body.api_key, lists: undefined };
    return presentFetching(await startFetching(db, who, order), who.language);
  },
  readFetching: ({ tx, who, params }) => readFetching(tx, who.accountId, params.id, who.language),
};

const starting: OwnHandlers<
  'readPreview' | 'startImport' | 'forecastImport' | 'readForecast' | 'listUploads' | 'removeUpload'
> = {
  readPreview: ({ tx, who, params, query }) => readPreview(tx, who.accountId, params.id, query),
  startImport: async ({ tx, who, body }) => {
    const row = await startImport(tx, who, body, valueTextsIn(textsFor(who)));
    return presentOne(tx, who, row);
  },
  forecastImport: ({ tx, who, params, body }) =>
    forecastImport(tx, who.accountId, params.id, body, textsFor(who)),
  readForecast: ({ tx, who, params }) => readForecast(tx, who.accountId, params.id, textsFor(who)),
  listUploads: ({ tx, who }) => listUploads(tx, who.accountId, who.language),
  removeUpload: ({ tx, who, params }) => removeUpload(tx, who.accountId, params.id),
};

const results: OwnHandlers<
  'listImports' | 'readImport' | 'readRejected' | 'undoImport' | 'downloadUndoSkipped'
> = {
  listImports: ({ tx, who, query }) =>
    imports.listImports(tx, who.accountId, query.list, who.language),
  readImport: async ({ tx, who, params }) => {
    const row = await imports.readImport(tx, who.accountId, params.id);
    return presentOne(tx, who, row);
  },
  readRejected: async ({ db, who, params, reply }) => {
    const row = await imports.readImport(db, who.accountId, params.id);
    if (isRejectedOver(row)) throw new AppError('rejected_gone');
    await readAccount(db, who.accountId);
    const { settings } = row;
    const titles = Array.from({ length: settings.width }, (_, i) => {
      const column = settings.columns.find((column) => column.column === i);
      return column?.title ?? '';
    });
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', 'attachment; filename="rejected.csv"')
      .send(rejectedCsv(db, row, titles, textsFor(who)));
  },
  undoImport: async ({ tx, who, params }) => {
    const row = await undoImport(tx, who.accountId, params.id);
    return presentOne(tx, who, row);
  },
  downloadUndoSkipped: async ({ db, who, params, reply }) => {
    const row = await imports.readImport(db, who.accountId, params.id);
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', 'attachment; filename="kept.csv"')
      .send(unrestoredCsv(db, row, textsFor(who)));
  },
};

const textsFor = (who: Caller) => serverTexts('imports', who.language);

async function presentOne(tx: Tx, who: Caller, row: ImportRow): Promise<Import> {
  const [data] = await imports.presentImports(tx, who.accountId, [row], who.language);
  if (data === undefined) throw new AppError('not_found');
  return data;
}

/**
 * The last part of the file name sent by the browser, without characters unsafe in headers or on
 * screens.
 */
function nameOf(filename: string | undefined): string {
  const last = (filename ?? '').split(/[/\\]/).at(-1) ?? '';
  return cutText(last.replace(/\p{C}/gu, ''), 255) || 'contacts';
}
