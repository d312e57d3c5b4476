// Exports: selected subscribers are written to a file, which is downloaded through a link that
// expires.
import { z } from 'zod';
import {
  dataResponse,
  defineCalls,
  SuccessResponse,
  Id,
  idOf,
  Instant,
  listResponse,
  listQuery,
  text,
} from '#platform/contract.ts';
import { EXPORT_STATES, FORMATS, MAX_IDS } from './shared.ts';

export const Export = z.object({
  id: Id,
  state: z.enum(EXPORT_STATES),
  format: z.enum(FORMATS),
  /** Number of subscribers to write, counted at the start of the job; null before that. */
  total: z.number().nullable(),
  /** Subscribers written so far. */
  row_count: z.number(),
  /** Bytes of the finished file. */
  size: z.number().nullable(),
  /** Number of columns of the file. */
  column_count: z.number(),
  /** named: selected one by one; filter: by conditions or search; all: all subscribers. */
  choice: z.enum(['named', 'filter', 'all']),
  search: z.string().nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  created: Instant,
  finished: Instant.nullable(),
  /** Time when the file is deleted. */
  expires: Instant.nullable(),
});
export type Export = z.infer<typeof Export>;

export const ExportLink = z.object({
  /** The secret in `/download/{export_hash}`: returned here only, stored as a hash. */
  hash: z.string(),
  path: z.string(),
  expires: Instant,
});

export const Download = z.object({
  id: Id,
  file_name: z.string(),
  format: z.enum(FORMATS),
  size: z.number(),
  row_count: z.number(),
  expires: Instant,
});
export type Download = z.infer<typeof Download>;

const hash = z.object({ hash: z.string().min(20).max(100) });

export const calls = defineCalls({
  startExport: {
    method: 'POST',
    path: '/client-api/api/exports',
    caller: 'account',
    requiredRight: 'export',
    slots: 'export',
    summary: 'Start an export of subscribers',
    description: 'Accepts the same selection as bulk actions.',
    body: z.strictObject({
      subscribers: z.array(idOf('subscriber')).min(1).max(MAX_IDS).optional(),
      /** A filter's text or a list of conditions; malformed ones are refused. */
      conditions: z.union([z.string().max(20_000), z.array(z.unknown())]).optional(),
      search: text(255).optional(),
      /** All subscribers: must be explicit, so that a lost condition never selects all. */
      all: z.literal(true).optional(),
      format: z.enum(FORMATS).default('csv'),
      /**
       * Columns of the file in order: a built-in column by name, a custom field by ID. If absent,
       * the file has the default columns and all custom fields.
       */
      columns: z.array(z.string().min(1).max(60)).min(1).max(1100).optional(),
    }),
    bodyLimit: 2 * 1024 * 1024,
    response: dataResponse(Export),
    errors: { conditions_malformed: 422, no_subscribers_selected: 422, too_many_exports: 429 },
  },
  listExports: {
    method: 'GET',
    path: '/client-api/api/exports',
    caller: 'account',
    requiredRight: 'export',
    summary: 'List exports',
    description: 'Returns the newest first.',
    query: listQuery({ sorts: ['created', 'modified'], order: 'created', direction: 'desc' }),
    response: listResponse(Export),
  },
  readExport: {
    method: 'GET',
    path: '/client-api/api/exports/{id}',
    caller: 'account',
    requiredRight: 'export',
    summary: 'Get an export with its progress',
    params: z.object({ id: idOf('export') }),
    response: dataResponse(Export),
  },
  deleteExport: {
    method: 'DELETE',
    path: '/client-api/api/exports/{id}',
    caller: 'account',
    requiredRight: 'export',
    summary: 'Cancel an export or delete its file',
    params: z.object({ id: idOf('export') }),
    response: SuccessResponse,
  },
  makeLink: {
    method: 'POST',
    path: '/client-api/api/exports/{id}/link',
    caller: 'account',
    requiredRight: 'export',
    summary: 'Create a download link for an export',
    description:
      'The link works for users of this account only. It expires after 60 minutes, or earlier with the file.',
    params: z.object({ id: idOf('export') }),
    response: dataResponse(ExportLink),
    errors: { export_not_ready: 409, export_expired: 410 },
  },
  readDownload: {
    method: 'GET',
    path: '/client-api/api/downloads/{hash}',
    caller: 'account',
    requiredRight: 'export',
    summary: 'Get the export behind a download link',
    params: hash,
    response: dataResponse(Download),
    errors: { link_expired: 410 },
  },
  download: {
    method: 'GET',
    path: '/client-api/api/downloads/{hash}/file',
    caller: 'account',
    requiredRight: 'export',
    summary: 'Download the file of an export',
    params: hash,
    transaction: 'own',
    errors: { link_expired: 410 },
  },
});
