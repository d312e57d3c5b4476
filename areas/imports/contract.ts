// Imports: a file or pasted text is taken in, looked at, then started with what each column means
// (specification sections 3, 5 and 7).
import { z } from 'zod';
import {
  dataAnswer,
  defineCalls,
  Id,
  idOf,
  Instant,
  line,
  listAnswer,
  listQuery,
} from '#platform/contract.ts';
import { TITLE_MOST as FIELD_TITLE_MOST } from '#areas/fields/limits.ts';
import { TITLE_MOST as GROUP_TITLE_MOST } from '#areas/groups/limits.ts';
import {
  fetchStates,
  forecastStates,
  keptReasons,
  undoStates,
  dateOrders,
  decimalMarks,
  delimiters,
  encodings,
  fieldTypes,
  maxColumns,
  maxPastedLength,
  states,
} from './limits.ts';

/** What is known of a file before it is started: how it will be read, and a guess for each column. */
export const ImportPreview = z.object({
  id: Id,
  /** What start_import is told: the same as `id`. */
  source: Id,
  method: z.enum(['file', 'text', 'mailchimp', 'getresponse']),
  fileName: z.string(),
  /** Titles of groups that fit: the lists that the rows come from. */
  tags: z.array(z.string()),
  /** Rows below the headings; exact only where no value holds a line end. */
  rowCount: z.number(),
  encoding: z.enum(encodings),
  delimiter: z.enum(delimiters),
  has_header: z.boolean(),
  columns: z.array(
    z.object({
      column: z.number(),
      title: z.string(),
      /** skip, email, phone, firstname, lastname, email_status, sms_status, consent_at, unsubscribed_at, or a field's id. */
      target: z.string(),
      /** What a new field made of the column would hold. */
      type: z.enum(fieldTypes),
      date_order: z.enum(dateOrders),
      decimal_mark: z.enum(decimalMarks),
    }),
  ),
  /** The first rows below the headings. */
  rows: z.array(z.array(z.string())),
});
export type ImportPreview = z.infer<typeof ImportPreview>;

const StartedColumn = z.object({ column: z.number(), title: z.string(), target: z.string() });

/** The import state of specification section 3, with its progress and result. */
export const Import = z.object({
  id: Id,
  state: z.enum(states),
  method: z.enum(['file', 'text', 'mailchimp', 'getresponse']),
  fileName: z.string(),
  source: Id,
  /** Rows below the headings: an estimate until the import has finished. */
  rowCount: z.number(),
  columns: z.array(StartedColumn),
  emailColumn: z.number().nullable(),
  phoneColumn: z.number().nullable(),
  /** How many columns are read. */
  matchedColumns: z.number(),
  tags: z.array(z.object({ id: Id, title: z.string() })),
  rows_read: z.number(),
  created_count: z.number(),
  updated_count: z.number(),
  unchanged_count: z.number(),
  /** Rows that are not in, and rows that are in without one of their values: rejected.csv names both. */
  rejected_count: z.number(),
  noted_count: z.number(),
  /** Why a failed import failed, as a code and in words. */
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  /** Until when it can be undone; null where it cannot (any more). */
  undoable_until: Instant.nullable(),
  /** The way back, once it was asked for: what it did, and what it had to leave, by reason. */
  undo: z
    .object({
      state: z.enum(undoStates),
      removed_count: z.number(),
      restored_count: z.number(),
      left_groups_count: z.number(),
      kept_count: z.number(),
      kept: z.array(z.object({ reason: z.enum(keptReasons), count: z.number() })),
      finished: Instant.nullable(),
    })
    .nullable(),
  created: Instant,
  started: Instant.nullable(),
  finished: Instant.nullable(),
});
export type Import = z.infer<typeof Import>;

const Counted = z.object({ reason: z.string(), message: z.string(), count: z.number() });

/** What an import would change if it were started so: nobody is written. */
export const Forecast = z.object({
  state: z.enum(forecastStates),
  rowCount: z.number(),
  rows_read: z.number(),
  created_count: z.number(),
  updated_count: z.number(),
  unchanged_count: z.number(),
  rejected_count: z.number(),
  /** People who had unsubscribed, bounced or reported spam, and stay so. */
  kept_count: z.number(),
  rejected: z.array(Counted),
  noted: z.array(Counted),
  /** Some of those who would change, with what. */
  samples: z.array(
    z.object({
      name: z.string(),
      changes: z.array(
        z.object({
          /** email, phone, firstname, lastname, email_status, sms_status or field. */
          target: z.string(),
          title: z.string().nullable(),
          before: z.string(),
          after: z.string(),
        }),
      ),
    }),
  ),
});
export type Forecast = z.infer<typeof Forecast>;

const place = z
  .number()
  .int()
  .min(0)
  .max(maxColumns - 1);

const reading = {
  encoding: z.enum(encodings).optional(),
  delimiter: z.enum(delimiters).optional(),
};

/** How the rows become people: what a start and a forecast are told. */
const order = {
  emailColumn: place.nullable().optional(),
  phoneColumn: place.nullable().optional(),
  columns: z
    .array(
      z.strictObject({
        column: place,
        /** As in the preview, or `new` for a field made now of `title` and `type`. */
        target: z.string().min(1).max(60),
        title: line(FIELD_TITLE_MOST).optional(),
        type: z.enum(fieldTypes).optional(),
        date_order: z.enum(dateOrders).optional(),
        decimal_mark: z.enum(decimalMarks).optional(),
      }),
    )
    .max(maxColumns)
    .default([]),
  ...reading,
  has_header: z.boolean().optional(),
};

/** Rows of another service on their way into a file. */
export const Fetching = z.object({
  id: Id,
  /** What start_import is told: the same as `id`. */
  source: Id,
  state: z.enum(fetchStates),
  rowCount: z.number(),
  rows_read: z.number(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
});
export type Fetching = z.infer<typeof Fetching>;

export const OutsideLists = z.array(
  z.object({ id: z.string(), title: z.string(), subscribers: z.number() }),
);
export type OutsideLists = z.infer<typeof OutsideLists>;

const apiKey = z.string().min(1).max(200);
const serviceErrors = {
  key_malformed: 422,
  key_refused: 422,
  list_unknown: 422,
  not_there: 502,
  service_unknown: 404,
  service_busy: 503,
  service_unavailable: 502,
};

const fileErrors = {
  file_missing: 422,
  file_empty: 422,
  file_too_large: 413,
  no_list: 422,
  old_workbook: 422,
  workbook_damaged: 422,
  workbook_encrypted: 422,
  workbook_too_large: 422,
};

export const calls = defineCalls({
  importFile: {
    method: 'POST',
    path: '/client-api/api/subscribers/import_file',
    who: 'account',
    summary:
      'Takes in a file of contacts (multipart, one part `file`: CSV, TXT, TSV or XLSX) and shows how it will be read',
    answer: dataAnswer(ImportPreview),
    transaction: 'own',
    errors: fileErrors,
  },
  importText: {
    method: 'POST',
    path: '/client-api/api/subscribers/text_import',
    who: 'account',
    summary: 'Takes in pasted contacts and shows how they will be read',
    body: z.strictObject({
      subscribers: z.union([
        z.string().max(maxPastedLength),
        z.array(z.string().max(10_000)).max(500_000),
      ]),
    }),
    answer: dataAnswer(ImportPreview),
    transaction: 'own',
    bodyLimit: maxPastedLength * 4,
    errors: fileErrors,
  },
  listMailchimp: {
    method: 'POST',
    path: '/client-api/api/subscribers/mailchimp_lists',
    who: 'account',
    summary: 'The lists that a Mailchimp key opens; the key is not kept',
    body: z.strictObject({ api_key: apiKey }),
    answer: dataAnswer(OutsideLists),
    transaction: 'own',
    errors: serviceErrors,
  },
  importMailchimp: {
    method: 'POST',
    path: '/client-api/api/subscribers/mailchimp_import',
    who: 'account',
    summary: 'Begins to fetch the people of Mailchimp lists; then they are previewed and started',
    body: z.strictObject({
      api_key: apiKey,
      lists: z.array(z.string().min(1).max(60)).min(1).max(200),
    }),
    answer: dataAnswer(Fetching),
    transaction: 'own',
    errors: serviceErrors,
  },
  importGetresponse: {
    method: 'POST',
    path: '/client-api/api/subscribers/getresponse_import',
    who: 'account',
    summary:
      'Begins to fetch the people of all GetResponse lists; then they are previewed and started',
    body: z.strictObject({ api_key: apiKey }),
    answer: dataAnswer(Fetching),
    transaction: 'own',
    errors: serviceErrors,
  },
  readFetching: {
    method: 'GET',
    path: '/client-api/api/imports/{id}/fetching',
    who: 'account',
    summary: 'How far the fetching from another service has come',
    params: z.object({ id: idOf('import') }),
    answer: dataAnswer(Fetching),
  },
  readPreview: {
    method: 'GET',
    path: '/client-api/api/imports/{id}/preview',
    who: 'account',
    summary: 'Shows the file again, read with another encoding or delimiter, or without headings',
    params: z.object({ id: idOf('import') }),
    query: z.strictObject({
      ...reading,
      has_header: z
        .enum(['0', '1'])
        .transform((value) => value === '1')
        .optional(),
    }),
    answer: dataAnswer(ImportPreview),
    errors: { import_already_started: 409, ...fileErrors },
  },
  startImport: {
    method: 'POST',
    path: '/client-api/api/subscribers/start_import',
    who: 'account',
    summary:
      'Starts the import of a file that was taken in; an equal repeat answers the same import',
    body: z.strictObject({
      source: idOf('import'),
      ...order,
      matchedColumns: z.number().int().optional(),
      method: z.enum(['file', 'text', 'mailchimp', 'getresponse']).optional(),
      fileName: line(255).optional(),
      rowCount: z.number().int().min(0).optional(),
      /** Groups that everybody joins; `new_tags` are made where they are missing. */
      tags: z.array(idOf('group')).max(100).default([]),
      new_tags: z.array(line(GROUP_TITLE_MOST, 1)).max(20).default([]),
      /** That these people agreed to be written to, and by what. Without it nobody becomes active. */
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
    answer: dataAnswer(Import),
    errors: {
      import_already_started: 409,
      import_not_ready: 409,
      too_many_fields: 422,
      title_taken: 409,
    },
    idempotent: true,
  },
  forecastImport: {
    method: 'POST',
    path: '/client-api/api/imports/{id}/forecast',
    who: 'account',
    summary: 'Begins to find out what the import would change, without changing anybody',
    params: z.object({ id: idOf('import') }),
    body: z.strictObject({
      ...order,
      channels: z
        .array(z.enum(['email', 'sms']))
        .max(2)
        .default(['email']),
    }),
    bodyLimit: 2 * 1024 * 1024,
    answer: dataAnswer(Forecast),
    errors: { import_already_started: 409 },
  },
  readForecast: {
    method: 'GET',
    path: '/client-api/api/imports/{id}/forecast',
    who: 'account',
    summary: 'What the import would change, as far as it is known',
    params: z.object({ id: idOf('import') }),
    answer: dataAnswer(Forecast),
  },
  undoImport: {
    method: 'POST',
    path: '/client-api/api/imports/{id}/undo',
    who: 'account',
    summary:
      'Undoes an import: takes out whom it made, gives back what it changed, as far as nobody touched it since',
    params: z.object({ id: idOf('import') }),
    answer: dataAnswer(Import),
    errors: { import_under_way: 409, undo_too_late: 410 },
  },
  readUndoKept: {
    method: 'GET',
    path: '/client-api/api/imports/{id}/undo_kept.csv',
    who: 'account',
    summary: 'Whom the way back had to leave as they are, with the reasons, as CSV',
    params: z.object({ id: idOf('import') }),
    transaction: 'own',
  },
  readLimits: {
    method: 'GET',
    path: '/client-api/api/imports/limits',
    who: 'account',
    summary: 'How large a file this installation takes in',
    answer: dataAnswer(z.object({ file_megabytes: z.number() })),
  },
  listImports: {
    method: 'GET',
    path: '/client-api/api/imports',
    who: 'account',
    summary: 'Imports that were started, the newest first',
    query: listQuery({ sorts: ['created', 'modified', 'title'] }),
    answer: listAnswer(Import),
  },
  readImport: {
    method: 'GET',
    path: '/client-api/api/imports/{id}',
    who: 'account',
    summary: 'One import with its progress and result',
    params: z.object({ id: idOf('import') }),
    answer: dataAnswer(Import),
  },
  readRejected: {
    method: 'GET',
    path: '/client-api/api/imports/{id}/rejected.csv',
    who: 'account',
    summary: 'The rows that were refused or lost a value, with the reasons, as CSV',
    params: z.object({ id: idOf('import') }),
    transaction: 'own',
  },
});
