// Routes for imports.
import { setImmediate } from 'node:timers/promises';
import { readAccount } from '#areas/accounts/server/index.ts';
import { cutText } from '#platform/server/clean-text.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { readToEndIfRefused } from '#platform/server/http/refused-upload.ts';
import {
  type Caller,
  type Handlers,
  type Route,
  createRoutes,
} from '#platform/server/http/serve.ts';
import { uploadedBytes } from '#platform/server/http/uploaded-bytes.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { calls, type Import } from '../contract.ts';
import { presentFetching, readFetching, readLists, startFetching } from './fetch-lists.ts';
import { forecastImport, readForecast } from './forecast.ts';
import type { ImportRow } from './imports.sql.ts';
import * as imports from './imports.ts';
import { ingest, readPreview } from './ingest.ts';
import { encodePastedText } from './pasted.ts';
import { areRowIssuesExpired, streamRowIssuesCsv } from './rejected-rows.ts';
import { getValueTexts, startImport } from './start-import.ts';
import { streamUnrestoredCsv, undoImport } from './undo.ts';
import { listUploads, removeUpload } from './uploads.ts';

const MEGABYTE = 1024 * 1024;

type PartialHandlers<Names extends keyof typeof calls> = Pick<Handlers<typeof calls>, Names>;
type Options = { maxMegabytes: number };

export const importRoutes = (options: Options): Route[] =>
  createRoutes('imports', calls, {
    ...createUploadHandlers(options),
    ...services,
    ...starting,
    ...results,
  });

const createUploadHandlers = ({
  maxMegabytes,
}: Options): PartialHandlers<'importFile' | 'importText' | 'readLimits'> => {
  const maxBytes = maxMegabytes * MEGABYTE;
  return {
    importFile: async ({ db, caller, request }) => {
      const filePart = request.isMultipart()
        ? await request.file({ limits: { fileSize: maxBytes + 1, files: 1, fields: 10 } })
        : undefined;
      if (filePart === undefined) throw new AppError('file_missing');
      const fileName = parseFileName(filePart.filename);
      const bytes = uploadedBytes(request, filePart.file);
      const upload = { ...caller, method: 'file' as const, fileName, bytes, maxBytes };
      return readToEndIfRefused(request, () => ingest(db, upload));
    },
    importText: async ({ db, caller, body }) => {
      // Reading a maximum-length list takes as long as validating it, so other requests run in
      // between.
      await setImmediate();
      const bytes = encodePastedText(body.subscribers);
      async function* yieldOnce() {
        yield bytes;
      }
      const upload = {
        ...caller,
        method: 'text' as const,
        fileName: '',
        bytes: yieldOnce(),
        maxBytes,
      };
      return ingest(db, upload);
    },
    readLimits: async () => ({ file_megabytes: maxMegabytes }),
  };
};

const services: PartialHandlers<
  'listMailchimp' | 'importMailchimp' | 'importGetresponse' | 'readFetching'
> = {
  listMailchimp: ({ db, caller, body }) =>
    readLists(db, caller.accountId, 'mailchimp', body.api_key),
  importMailchimp: async ({ db, caller, body }) => {
    const order = { service: 'mailchimp' as const, apiKey: body.api_key, lists: body.lists };
    return presentFetching(await startFetching(db, caller, order), caller.language);
  },
  importGetresponse: async ({ db, caller, body }) => {
    const order = { service: 'getresponse' as const, apiKey: body.api_key, lists: undefined };
    return presentFetching(await startFetching(db, caller, order), caller.language);
  },
  readFetching: ({ tx, caller, params }) =>
    readFetching(tx, caller.accountId, params.id, caller.language),
};

const starting: PartialHandlers<
  'readPreview' | 'startImport' | 'forecastImport' | 'readForecast' | 'listUploads' | 'removeUpload'
> = {
  readPreview: ({ tx, caller, params, query }) =>
    readPreview(tx, caller.accountId, params.id, query),
  startImport: async ({ tx, caller, body }) => {
    const row = await startImport(tx, caller, body, getValueTexts(getTexts(caller)));
    return presentOne(tx, caller, row);
  },
  forecastImport: ({ tx, caller, params, body }) =>
    forecastImport(tx, caller.accountId, params.id, body, getTexts(caller)),
  readForecast: ({ tx, caller, params }) =>
    readForecast(tx, caller.accountId, params.id, getTexts(caller)),
  listUploads: ({ tx, caller }) => listUploads(tx, caller.accountId, caller.language),
  removeUpload: ({ tx, caller, params }) => removeUpload(tx, caller.accountId, params.id),
};

const results: PartialHandlers<
  'listImports' | 'readImport' | 'readRejected' | 'undoImport' | 'downloadUndoSkipped'
> = {
  listImports: ({ tx, caller, query }) =>
    imports.listImports(tx, caller.accountId, query.list, caller.language),
  readImport: async ({ tx, caller, params }) => {
    const row = await imports.readImport(tx, caller.accountId, params.id);
    return presentOne(tx, caller, row);
  },
  readRejected: async ({ db, caller, params, reply }) => {
    const row = await imports.readImport(db, caller.accountId, params.id);
    if (areRowIssuesExpired(row)) throw new AppError('rejected_gone');
    await readAccount(db, caller.accountId);
    const { settings } = row;
    const titles = Array.from({ length: settings.width }, (_, i) => {
      const column = settings.columns.find((column) => column.column === i);
      return column?.title ?? '';
    });
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', 'attachment; filename="rejected.csv"')
      .send(streamRowIssuesCsv(db, row, titles, getTexts(caller)));
  },
  undoImport: async ({ tx, caller, params }) => {
    const row = await undoImport(tx, caller.accountId, params.id);
    return presentOne(tx, caller, row);
  },
  downloadUndoSkipped: async ({ db, caller, params, reply }) => {
    const row = await imports.readImport(db, caller.accountId, params.id);
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', 'attachment; filename="kept.csv"')
      .send(streamUnrestoredCsv(db, row, getTexts(caller)));
  },
};

const getTexts = (caller: Caller) => serverTexts('imports', caller.language);

async function presentOne(tx: Tx, caller: Caller, row: ImportRow): Promise<Import> {
  const [data] = await imports.presentImports(tx, caller.accountId, [row], caller.language);
  if (data === undefined) throw new AppError('not_found');
  return data;
}

/**
 * Returns the last part of the browser's file name without characters unsafe in headers or on
 * screens.
 */
function parseFileName(filename: string | undefined): string {
  const baseName = (filename ?? '').split(/[/\\]/).at(-1) ?? '';
  return cutText(baseName.replace(/\p{C}/gu, ''), 255) || 'contacts';
}
