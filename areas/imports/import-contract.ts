// What imports are on the wire: a file before its start, its forecast, the import, rows being fetched.
import { z } from 'zod';
import { Id, Instant } from '#platform/contract.ts';
import {
  dateOrders,
  decimalMarks,
  delimiters,
  encodings,
  exportServices,
  fetchStates,
  fileStatuses,
  forecastStates,
  keptReasons,
  newFieldTypes,
  states,
  undoStates,
} from './limits.ts';

/** A file that waits to be started, is still being fetched, or could not be. */
export const Upload = z.object({
  id: Id,
  state: z.enum(fetchStates),
  method: z.enum(['file', 'text', 'mailchimp', 'getresponse']),
  fileName: z.string(),
  rowCount: z.number(),
  /** Why it could not be fetched. */
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  created: Instant,
});
export type Upload = z.infer<typeof Upload>;

/** What is known of a file before it is started: how it will be read, and a guess for each column. */
export const ImportPreview = z.object({
  id: Id,
  /** What start_import is told: the same as `id`. */
  source: Id,
  method: z.enum(['file', 'text', 'mailchimp', 'getresponse']),
  fileName: z.string(),
  /** Titles of the lists that the rows come from, where a service told them; each row says which of them are its own. */
  tags: z.array(z.string()),
  /** Rows below the headings; exact only where no value holds a line end. */
  rowCount: z.number(),
  encoding: z.enum(encodings),
  delimiter: z.enum(delimiters),
  has_header: z.boolean(),
  /** The row of the headings, from 1; 0 where there are none. Rows above it are titles. */
  header_row: z.number(),
  /** Whose export it is, where its headings tell. */
  service: z.enum(exportServices).nullable(),
  /** What the file as a whole says of everybody in it, where no column tells it: proposed for the start. */
  file_status: z.enum(fileStatuses).nullable(),
  columns: z.array(
    z.object({
      column: z.number(),
      title: z.string(),
      /**
       * skip, email, phone, firstname, lastname, fullname (split at its first blank), email_status, sms_status, consent_at, unsubscribed_at,
       * email_suppressed, sms_suppressed, all_suppressed, groups, or a field's id.
       */
      target: z.string(),
      /** What a new field made of the column would hold. */
      type: z.enum(newFieldTypes),
      /** What the service that the file comes from keeps for itself: ratings, numbers, guessed places. */
      is_own: z.boolean(),
      /**
       * Its title and values say who may be written to. Where it gets no target of that kind, the start
       * needs it in `ignored_opt_outs`.
       */
      is_opt_out: z.boolean(),
      /** Whether any of the first rows has a value of it. */
      is_filled: z.boolean(),
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
  /** Until when rejected.csv names them; null where there is nothing (any more), and while it runs. */
  rejected_until: Instant.nullable(),
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
  /** Groups that rows name or that everybody joins, and how many people each would get who are not in it yet. */
  groups: z.array(z.object({ title: z.string(), is_new: z.boolean(), people_count: z.number() })),
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
