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
  method: z.enum(['file', 'text']),
  fileName: z.string(),
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
  created: Instant,
  started: Instant.nullable(),
  finished: Instant.nullable(),
});
export type Import = z.infer<typeof Import>;

const place = z
  .number()
  .int()
  .min(0)
  .max(maxColumns - 1);

const reading = {
  encoding: z.enum(encodings).optional(),
  delimiter: z.enum(delimiters).optional(),
};

const fileErrors = {
  file_missing: 422,
  file_empty: 422,
  file_too_large: 413,
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
      matchedColumns: z.number().int().optional(),
      method: z.enum(['file', 'text']).optional(),
      fileName: line(255).optional(),
      rowCount: z.number().int().min(0).optional(),
      /** Groups that everybody joins; `new_tags` are made where they are missing. */
      tags: z.array(idOf('group')).max(100).default([]),
      new_tags: z.array(line(GROUP_TITLE_MOST, 1)).max(20).default([]),
      ...reading,
      has_header: z.boolean().optional(),
      /** That these people agreed to be written to, and by what. */
      consent: z.strictObject({
        attested: z.literal(true),
        channels: z
          .array(z.enum(['email', 'sms']))
          .min(1)
          .max(2)
          .default(['email']),
      }),
    }),
    bodyLimit: 2 * 1024 * 1024,
    answer: dataAnswer(Import),
    errors: { import_already_started: 409, too_many_fields: 422, title_taken: 409 },
    idempotent: true,
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
