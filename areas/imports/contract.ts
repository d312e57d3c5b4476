// Imports: a file or pasted text is uploaded, previewed, then started with a target for each column.
import { z } from 'zod';
import { MAX_TITLE_LENGTH as MAX_FIELD_TITLE } from '#areas/fields/shared.ts';
import { MAX_TITLE_LENGTH as MAX_GROUP_TITLE } from '#areas/groups/shared.ts';
import {
  SuccessResponse,
  dataResponse,
  defineCalls,
  idOf,
  line,
  listResponse,
  listQuery,
} from '#platform/contract.ts';
import {
  Fetching,
  Import,
  ImportForecast,
  ImportPreview,
  OutsideLists,
  Upload,
} from './import-contract.ts';
import {
  DATE_ORDERS,
  DECIMAL_MARKS,
  DELIMITERS,
  ENCODINGS,
  FILE_STATUSES,
  MAX_COLUMNS,
  MAX_FILE_GROUPS,
  MAX_HEADER_ROW,
  MAX_PASTED_LENGTH,
  NEW_FIELD_TYPES,
} from './shared.ts';

export type {
  Fetching,
  Import,
  ImportForecast,
  ImportPreview,
  OutsideLists,
  Upload,
} from './import-contract.ts';

const columnIndex = z
  .number()
  .int()
  .min(0)
  .max(MAX_COLUMNS - 1);

const headerRow = z.number().int().min(1).max(MAX_HEADER_ROW);

const reading = {
  encoding: z.enum(ENCODINGS).optional(),
  delimiter: z.enum(DELIMITERS).optional(),
};

/** Mapping of rows to subscribers: the settings of a start and a forecast. */
const importSettings = {
  emailColumn: columnIndex.nullable().optional(),
  phoneColumn: columnIndex.nullable().optional(),
  columns: z
    .array(
      z.strictObject({
        column: columnIndex,
        /** A target as in the preview, or `new` for a new field with `title` and `type`. */
        target: z.string().min(1).max(60),
        title: line(MAX_FIELD_TITLE).optional(),
        type: z.enum(NEW_FIELD_TYPES).optional(),
        date_order: z.enum(DATE_ORDERS).optional(),
        decimal_mark: z.enum(DECIMAL_MARKS).optional(),
      }),
    )
    .max(MAX_COLUMNS)
    .default([]),
  /** Columns with `is_opt_out` that the owner decided to ignore. */
  ignored_opt_outs: z.array(columnIndex).max(MAX_COLUMNS).optional(),
  /** The status of rows that contain none. */
  file_status: z.enum(FILE_STATUSES).nullable().optional(),
  /** New titles for groups named in rows. */
  group_names: z
    .array(z.strictObject({ from: line(MAX_GROUP_TITLE, 1), to: line(MAX_GROUP_TITLE, 1) }))
    .max(MAX_FILE_GROUPS)
    .optional(),
  ...reading,
  has_header: z.boolean().optional(),
  /** The row of the headings; rows above it are titles. Detected by default. */
  header_row: headerRow.optional(),
};

const apiKey = z.string().min(1).max(200);
const serviceErrors = {
  key_malformed: 422,
  key_refused: 422,
  not_there: 502,
  service_unknown: 404,
  service_busy: 503,
  service_unavailable: 502,
};
const fetchErrors = { ...serviceErrors, list_unknown: 422, too_many_uploads: 409 };

const fileErrors = {
  file_missing: 422,
  file_empty: 422,
  file_too_large: 413,
  no_list: 422,
  old_workbook: 422,
  workbook_damaged: 422,
  workbook_encrypted: 422,
  workbook_too_large: 422,
  zip_damaged: 422,
  zip_encrypted: 422,
  zip_too_large: 422,
};

export const calls = defineCalls({
  importFile: {
    method: 'POST',
    path: '/client-api/api/subscribers/import_file',
    caller: 'account',
    requiredRight: 'people.change',
    summary: 'Upload a file of contacts',
    description:
      'Accepts multipart with one part `file`: CSV, TXT, TSV, XLSX, or a ZIP of them. Returns a preview of how the file will be read.',
    response: dataResponse(ImportPreview),
    acceptsIdempotencyKey: false,
    transaction: 'own',
    errors: { ...fileErrors, too_many_uploads: 409 },
  },
  importText: {
    method: 'POST',
    path: '/client-api/api/subscribers/text_import',
    caller: 'account',
    requiredRight: 'people.change',
    summary: 'Add pasted contacts',
    description: 'Returns a preview of how they will be read.',
    body: z.strictObject({
      subscribers: z.union([
        z.string().max(MAX_PASTED_LENGTH),
        z.array(z.string().max(10_000)).max(500_000),
      ]),
    }),
    response: dataResponse(ImportPreview),
    transaction: 'own',
    bodyLimit: MAX_PASTED_LENGTH * 4,
    errors: { ...fileErrors, too_many_uploads: 409 },
  },
  listMailchimp: {
    method: 'POST',
    path: '/client-api/api/subscribers/mailchimp_lists',
    caller: 'account',
    requiredRight: 'people.change',
    summary: 'List audiences of a Mailchimp key',
    description: 'The key is not stored.',
    body: z.strictObject({ api_key: apiKey }),
    response: dataResponse(OutsideLists),
    transaction: 'own',
    errors: serviceErrors,
  },
  importMailchimp: {
    method: 'POST',
    path: '/client-api/api/subscribers/mailchimp_import',
    caller: 'account',
    requiredRight: 'people.change',
    summary: 'Start fetching subscribers from Mailchimp',
    description: 'The import is previewed and started afterwards.',
    body: z.strictObject({
      api_key: apiKey,
      lists: z.array(z.string().min(1).max(60)).min(1).max(200),
    }),
    response: dataResponse(Fetching),
    transaction: 'own',
    errors: fetchErrors,
  },
  importGetresponse: {
    method: 'POST',
    path: '/client-api/api/subscribers/getresponse_import',
    caller: 'account',
    requiredRight: 'people.change',
    summary: 'Start fetching subscribers from GetResponse',
    description: 'The import is previewed and started afterwards.',
    body: z.strictObject({ api_key: apiKey }),
    response: dataResponse(Fetching),
    transaction: 'own',
    errors: fetchErrors,
  },
  readFetching: {
    method: 'GET',
    path: '/client-api/api/imports/{id}/fetching',
    caller: 'account',
    requiredRight: 'people',
    summary: 'Get the progress of fetching',
    params: z.object({ id: idOf('import') }),
    response: dataResponse(Fetching),
  },
  readPreview: {
    method: 'GET',
    path: '/client-api/api/imports/{id}/preview',
    caller: 'account',
    requiredRight: 'people',
    summary: 'Preview a file with other reading options',
    description: 'Accepts another encoding or delimiter, or no header row.',
    params: z.object({ id: idOf('import') }),
    query: z.strictObject({
      ...reading,
      has_header: z
        .enum(['0', '1'])
        .transform((value) => value === '1')
        .optional(),
      header_row: z.coerce.number().pipe(headerRow).optional(),
    }),
    response: dataResponse(ImportPreview),
    errors: { import_already_started: 409, file_missing: 422 },
  },
  startImport: {
    method: 'POST',
    path: '/client-api/api/subscribers/start_import',
    caller: 'account',
    requiredRight: 'people.change',
    summary: 'Start an import',
    description:
      'Repeating the request returns the same import; another request for it returns 409 `import_already_started`.',
    body: z.strictObject({
      source: idOf('import'),
      ...importSettings,
      matchedColumns: z.number().int().optional(),
      method: z.enum(['file', 'text', 'mailchimp', 'getresponse']).optional(),
      fileName: line(255).optional(),
      rowCount: z.number().int().min(0).optional(),
      /** Groups for all subscribers of the file; `new_tags` are created if missing. */
      tags: z.array(idOf('group')).max(100).default([]),
      new_tags: z.array(line(MAX_GROUP_TITLE, 1)).max(20).default([]),
      /** Whether changes made by the import start workflows, like changes made by subscribers. */
      start_automations: z.boolean().optional(),
      /**
       * Confirms that these subscribers consented, and for which channels. Without it, no
       * subscriber becomes active.
       */
      consent: z
        .strictObject({
          attested: z.literal(true),
          channels: z
            .array(z.enum(['email', 'sms']))
            .min(1)
            .max(2)
            .default(['email']),
        })
        .optional(),
    }),
    bodyLimit: 2 * 1024 * 1024,
    response: dataResponse(Import),
    errors: {
      import_already_started: 409,
      import_not_ready: 409,
      file_missing: 422,
      too_many_fields: 422,
      title_taken: 409,
    },
  },
  forecastImport: {
    method: 'POST',
    path: '/client-api/api/imports/{id}/forecast',
    caller: 'account',
    requiredRight: 'people.change',
    summary: 'Start a dry run of an import',
    description: 'Computes what would change without changing any subscriber.',
    params: z.object({ id: idOf('import') }),
    body: z.strictObject({
      ...importSettings,
      channels: z
        .array(z.enum(['email', 'sms']))
        .max(2)
        .default(['email']),
      /** Titles of groups for all subscribers, existing or not. */
      group_titles: z.array(line(MAX_GROUP_TITLE, 1)).max(120).default([]),
    }),
    bodyLimit: 2 * 1024 * 1024,
    response: dataResponse(ImportForecast),
    errors: { import_already_started: 409, file_missing: 422 },
  },
  readForecast: {
    method: 'GET',
    path: '/client-api/api/imports/{id}/forecast',
    caller: 'account',
    requiredRight: 'people',
    summary: 'Get the result of a dry run',
    params: z.object({ id: idOf('import') }),
    response: dataResponse(ImportForecast),
  },
  undoImport: {
    method: 'POST',
    path: '/client-api/api/imports/{id}/undo',
    caller: 'account',
    requiredRight: 'people.delete',
    summary: 'Undo an import',
    description:
      'Removes created subscribers and restores changed ones within seven days of the import, except where they were changed since. Created subscribers also remain if they are in other groups or if messages were sent to them.',
    params: z.object({ id: idOf('import') }),
    response: dataResponse(Import),
    errors: { import_under_way: 409, undo_too_late: 410 },
  },
  downloadUndoSkipped: {
    method: 'GET',
    path: '/client-api/api/imports/{id}/undo_kept.csv',
    caller: 'account',
    requiredRight: 'export',
    summary: 'Download subscribers an undo skipped',
    description: 'Returns a CSV file with the reasons.',
    params: z.object({ id: idOf('import') }),
    transaction: 'own',
  },
  listUploads: {
    method: 'GET',
    path: '/client-api/api/imports/uploads',
    caller: 'account',
    requiredRight: 'people',
    summary: 'List pending uploads',
    description:
      'Returns the newest first. An account can have 20 uploads, not counting failed fetches.',
    response: dataResponse(z.array(Upload)),
  },
  removeUpload: {
    method: 'DELETE',
    path: '/client-api/api/imports/{id}',
    caller: 'account',
    requiredRight: 'people.change',
    summary: 'Delete an upload',
    description: 'Uploads that are not started are deleted after one day.',
    params: z.object({ id: idOf('import') }),
    response: SuccessResponse,
    errors: { import_already_started: 409 },
  },
  readLimits: {
    method: 'GET',
    path: '/client-api/api/imports/limits',
    caller: 'account',
    summary: 'Get the import size limit',
    response: dataResponse(z.object({ file_megabytes: z.number() })),
  },
  listImports: {
    method: 'GET',
    path: '/client-api/api/imports',
    caller: 'account',
    summary: 'List imports',
    description: 'Returns the newest first.',
    query: listQuery({ sorts: ['created', 'modified', 'title'] }),
    response: listResponse(Import),
  },
  readImport: {
    method: 'GET',
    path: '/client-api/api/imports/{id}',
    caller: 'account',
    summary: 'Get an import with its progress',
    params: z.object({ id: idOf('import') }),
    response: dataResponse(Import),
  },
  readRejected: {
    method: 'GET',
    path: '/client-api/api/imports/{id}/rejected.csv',
    caller: 'account',
    requiredRight: 'export',
    summary: 'Download rejected rows of an import',
    description:
      'Returns a CSV file of the rows that were rejected or lost a value, with the reasons.',
    params: z.object({ id: idOf('import') }),
    transaction: 'own',
    errors: { rejected_gone: 410 },
  },
});
