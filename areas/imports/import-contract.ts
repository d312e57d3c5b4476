// API types of imports: an uploaded file, its forecast, a started import, and a list being fetched
// from another service.
import { z } from 'zod';
import { Id, Instant } from '#platform/contract.ts';
import {
  DATE_ORDERS,
  DECIMAL_MARKS,
  DELIMITERS,
  ENCODINGS,
  EXPORT_SERVICES,
  FETCH_STATES,
  FILE_STATUSES,
  FORECAST_STATES,
  NEW_FIELD_TYPES,
  STATES,
  UNDO_STATES,
  UNRESTORED_REASONS,
} from './shared.ts';

/** A file whose import was not started: it is uploaded, being fetched, or could not be fetched. */
export const Upload = z.object({
  id: Id,
  state: z.enum(FETCH_STATES),
  method: z.enum(['file', 'text', 'mailchimp', 'getresponse']),
  fileName: z.string(),
  rowCount: z.number(),
  /** Reason why fetching failed. */
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  created: Instant,
});
export type Upload = z.infer<typeof Upload>;

/**
 * Preview of a file before the import starts: the settings for reading it, and a guessed target for
 * each column.
 */
export const ImportPreview = z.object({
  id: Id,
  /** The source in start_import; equals `id`. */
  source: Id,
  method: z.enum(['file', 'text', 'mailchimp', 'getresponse']),
  fileName: z.string(),
  /** Titles of the source lists, if a service provided them; each row names its own lists. */
  tags: z.array(z.string()),
  /** Rows below the headings; exact only if no value contains a line break. */
  rowCount: z.number(),
  encoding: z.enum(ENCODINGS),
  delimiter: z.enum(DELIMITERS),
  has_header: z.boolean(),
  /** The row of the headings, from 1; 0 without headings. Rows above it are titles. */
  header_row: z.number(),
  /** The exporting service, if the headings identify it. */
  service: z.enum(EXPORT_SERVICES).nullable(),
  /** The status proposed for all rows, if the file implies one and no column contains it. */
  file_status: z.enum(FILE_STATUSES).nullable(),
  columns: z.array(
    z.object({
      column: z.number(),
      title: z.string(),
      /**
       * skip, email, phone, firstname, lastname, fullname (split at its first space), email_status,
       * sms_status, consent_at, unsubscribed_at, email_suppressed, sms_suppressed, all_suppressed,
       * groups, or a field's id.
       */
      target: z.string(),
      /** The type of a new field for the column. */
      type: z.enum(NEW_FIELD_TYPES),
      /**
       * Whether the column has internal data of the exporting service: ratings, numbers, guessed
       * locations.
       */
      is_own: z.boolean(),
      /**
       * Whether title and values indicate consent or opt-outs. If the chosen target is not a
       * status, a date of consent or opt-out, or a suppression, `ignored_opt_outs` of start_import
       * must contain the column.
       */
      is_opt_out: z.boolean(),
      /** Whether any of the sampled rows has a value in the column. */
      is_filled: z.boolean(),
      date_order: z.enum(DATE_ORDERS),
      decimal_mark: z.enum(DECIMAL_MARKS),
    }),
  ),
  /** The first rows below the headings. */
  rows: z.array(z.array(z.string())),
});
export type ImportPreview = z.infer<typeof ImportPreview>;

const StartedColumn = z.object({ column: z.number(), title: z.string(), target: z.string() });

/** An import, its progress and its result. */
export const Import = z.object({
  id: Id,
  state: z.enum(STATES),
  method: z.enum(['file', 'text', 'mailchimp', 'getresponse']),
  fileName: z.string(),
  source: Id,
  /** Rows below the headings: an estimate until the import has finished. */
  rowCount: z.number(),
  columns: z.array(StartedColumn),
  emailColumn: z.number().nullable(),
  phoneColumn: z.number().nullable(),
  /** Number of columns read. */
  matchedColumns: z.number(),
  tags: z.array(z.object({ id: Id, title: z.string() })),
  rows_read: z.number(),
  created_count: z.number(),
  updated_count: z.number(),
  unchanged_count: z.number(),
  /**
   * How many rows were not imported, and how many were imported without one of their values.
   * rejected.csv lists both.
   */
  rejected_count: z.number(),
  noted_count: z.number(),
  /** When rejected.csv expires; null if there is none or it has expired, and during the import. */
  rejected_until: Instant.nullable(),
  /** Reason why the import failed, as a code and a message. */
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  /** Deadline of the undo; null if it is not possible or has passed. */
  undoable_until: Instant.nullable(),
  /**
   * The undo, once requested: the numbers of changed subscribers and, by reason, of those left
   * unchanged.
   */
  undo: z
    .object({
      state: z.enum(UNDO_STATES),
      removed_count: z.number(),
      restored_count: z.number(),
      left_groups_count: z.number(),
      kept_count: z.number(),
      kept: z.array(z.object({ reason: z.enum(UNRESTORED_REASONS), count: z.number() })),
      finished: Instant.nullable(),
    })
    .nullable(),
  created: Instant,
  started: Instant.nullable(),
  finished: Instant.nullable(),
});
export type Import = z.infer<typeof Import>;

const ReasonCount = z.object({ reason: z.string(), message: z.string(), count: z.number() });

/** Effects that an import with these settings would have. */
export const ImportForecast = z.object({
  state: z.enum(FORECAST_STATES),
  rowCount: z.number(),
  rows_read: z.number(),
  created_count: z.number(),
  updated_count: z.number(),
  unchanged_count: z.number(),
  rejected_count: z.number(),
  /**
   * Subscribers who had unsubscribed, bounced or reported spam; the import does not change this.
   */
  kept_count: z.number(),
  rejected: z.array(ReasonCount),
  noted: z.array(ReasonCount),
  /**
   * Addresses that are imported but questionable: those with misspelled or unreachable domains,
   * disposable addresses and role addresses.
   */
  checks: z.array(ReasonCount),
  /** Groups named in rows or chosen for all subscribers, with the number of new members of each. */
  groups: z.array(z.object({ title: z.string(), is_new: z.boolean(), people_count: z.number() })),
  /** A sample of changed subscribers and the changes. */
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
export type ImportForecast = z.infer<typeof ImportForecast>;

/** Rows of another service while they are fetched into a file. */
export const Fetching = z.object({
  id: Id,
  /** The source in start_import; equals `id`. */
  source: Id,
  state: z.enum(FETCH_STATES),
  rowCount: z.number(),
  rows_read: z.number(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
});
export type Fetching = z.infer<typeof Fetching>;

export const OutsideLists = z.array(
  z.object({ id: z.string(), title: z.string(), subscribers: z.number() }),
);
export type OutsideLists = z.infer<typeof OutsideLists>;
