// Starts an uploaded import: validates the column mapping, creates new fields and groups, queues
// the job. A repeated call returns the same import; a call with other settings is refused.
import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { readAccount } from '#areas/accounts/server/index.ts';
import {
  createField,
  type FieldFacts,
  lockAllFields,
  readFields,
} from '#areas/fields/server/index.ts';
import { ensureGroup, requireGroups } from '#areas/groups/server/index.ts';
import { decodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { AppError, invalid, notFound } from '#platform/server/errors.ts';
import type { Actor } from '#platform/server/http/serve.ts';
import { addJob } from '#platform/server/jobs/jobs.ts';
import type { ServerText } from '#platform/server/texts.ts';
import type { calls } from '../contract.ts';
import { listConflictingTargets } from '../full-name.ts';
import { serviceNames } from '../service-names.ts';
import {
  COLUMN_TARGETS,
  CONSENT_TARGETS,
  type Delimiter,
  type FieldValueType,
  type FileEncoding,
  type FileStatus,
  SHARED_TARGETS,
} from '../shared.ts';
import type { MappedColumn } from './import-records.ts';
import * as store from './imports.sql.ts';
import { buildRowPreview } from './ingest.ts';
import { getDefaultDateOrder, type FilePreview } from './preview.ts';
import { importJob } from './run-import.ts';

export type StartInput = z.output<typeof calls.startImport.body>;

/** Rules for reading a file into subscribers. */
export interface ReadingSettings {
  encoding: FileEncoding;
  delimiter: Delimiter;
  headerRow: number;
  width: number;
  columns: MappedColumn[];
  country: string | null;
  timezone: string;
  fileStatus?: FileStatus | null;
  hasBarePhones?: boolean;
  groupNames?: readonly { from: string; to: string }[];
}

/** The settings of a started import, as stored (imports.settings). */
export interface ImportSettings extends ReadingSettings {
  /** Hash of the requested settings: a repeat of the call has the same one. */
  hash: string;
  groupIds: number[];
  /** IDs of groups named in rows; the import adds them as it reads the rows. */
  namedGroupIds?: number[];
  consent: Array<'email' | 'sms'>;
  userId: number;
  /** Whether the subscribers enter workflows, as the user chose. */
  startsWorkflows?: boolean;
}

type ImportOrder = Pick<
  StartInput,
  | 'emailColumn'
  | 'phoneColumn'
  | 'columns'
  | 'file_status'
  | 'group_names'
  | 'encoding'
  | 'delimiter'
  | 'has_header'
  | 'header_row'
  | 'ignored_opt_outs'
>;

/**
 * Texts stored as values in the user's language: yes and no, and the title of a list that is known
 * by number only.
 */
export interface ValueTexts {
  yesNo: { yes: string; no: string };
  formatListTitle: (service: string) => string;
}

export const getValueTexts = (t: ServerText): ValueTexts => ({
  yesNo: { yes: t('yesNo.yes'), no: t('yesNo.no') },
  formatListTitle: (service) => t('numberedList', { service, number: '#' }),
});

/** How fields are created from columns: the function that creates one, and the labels of values. */
interface FieldCreation extends ValueTexts {
  createField: NewField;
}

/**
 * Validates the mapping of columns and creates the new fields.
 * @throws 422 if no column contains email addresses or phone numbers, or a target is invalid
 */
export async function resolveReading(
  tx: Tx,
  accountId: number,
  order: ImportOrder,
  preview: FilePreview,
  fieldCreation: FieldCreation,
): Promise<ReadingSettings> {
  const account = await readAccount(tx, accountId);
  return {
    encoding: preview.encoding,
    delimiter: preview.delimiter,
    headerRow: preview.headerRow,
    width: preview.columns.length,
    columns: await mapColumns(tx, accountId, order, preview, fieldCreation),
    country: account.country,
    timezone: account.timezone,
    fileStatus: order.file_status ?? null,
    hasBarePhones: preview.hasBarePhones,
    groupNames: order.group_names ?? [],
  };
}

/** Creates the field for a column; a forecast creates none and returns a made-up ID. */
export type NewField = (
  tx: Tx,
  accountId: number,
  field: { title: string; type: FieldValueType },
) => Promise<{ id: number }>;

const createNewField: NewField = (tx, accountId, field) => createField(tx, accountId, field);

/**
 * Starts an uploaded import.
 * @throws `not_found`, `import_not_ready`, `import_already_started`; 422 if no column contains
 * email addresses or phone numbers, a target or group is invalid, or an opt-out column has no
 * decision
 */
export async function startImport(
  tx: Tx,
  caller: Actor,
  input: StartInput,
  labels: ValueTexts,
): Promise<store.ImportRow> {
  const row = await store.lockImport(tx, caller.accountId, input.source);
  if (!row) throw notFound();
  const hash = createHash('sha256').update(JSON.stringify(input)).digest('hex');
  if (row.state === 'fetching' || row.state === 'fetch_failed')
    throw new AppError('import_not_ready');
  if (row.state !== 'uploaded') {
    if (row.settings.hash === hash) return row;
    throw new AppError('import_already_started');
  }
  const preview = await buildRowPreview(tx, row, input);
  requireOptOutsAnswered(input, preview);
  const settings: ImportSettings = {
    ...(await resolveReading(tx, caller.accountId, input, preview, {
      createField: createNewField,
      ...labels,
    })),
    hash,
    groupIds: await resolveGroups(tx, caller.accountId, input),
    consent: input.consent?.channels ?? [],
    userId: caller.userId,
    startsWorkflows: input.start_automations ?? false,
  };
  const fieldIds = settings.columns.flatMap(({ target }) =>
    typeof target === 'object' ? [target.field] : [],
  );
  if (!(await lockAllFields(tx, caller.accountId, fieldIds)))
    throw invalid({ columns: ['errors.unknown_target'] });
  const queuedRow = await store.queueImport(tx, caller.accountId, row.id, {
    settings,
    at: clock.now(),
  });
  // Imports of one account run in sequence: two would contend for the same subscribers.
  await addJob(
    tx,
    importJob,
    { accountId: caller.accountId, importId: row.id },
    { key: `import:${caller.accountId}:${row.id}`, queue: `imports:${caller.accountId}` },
  );
  return queuedRow;
}

/**
 * Requires a decision about each opt-out column.
 * @throws 422 if a skipped column would silently activate people who opted out
 */
function requireOptOutsAnswered(input: StartInput, preview: FilePreview): void {
  const targets = new Map(input.columns.map(({ column, target }) => [column, target]));
  const undecidedColumns = preview.columns.flatMap(({ isOptOut }, column) => {
    const isCounted = CONSENT_TARGETS.includes(targets.get(column) ?? 'skip');
    return isOptOut && !isCounted && !input.ignored_opt_outs?.includes(column) ? [column] : [];
  });
  // With a status for all rows and no column of statuses, no row can activate a person.
  const isHarmless =
    (input.file_status ?? null) !== null &&
    !input.columns.some(({ target }) => target === 'email_status');
  if (undecidedColumns.length > 0 && !isHarmless)
    throw invalid(
      Object.fromEntries(
        undecidedColumns.map((column) => [
          `ignored_opt_outs.${column}`,
          ['errors.opt_out_unanswered'],
        ]),
      ),
    );
}

async function resolveGroups(tx: Tx, accountId: number, input: StartInput): Promise<number[]> {
  const ids = await requireGroups(tx, accountId, input.tags).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'not_found')
      throw invalid({ tags: ['errors.unknown_id'] });
    throw error;
  });
  const groupIds = new Set(ids.map((group) => group.id));
  for (const title of input.new_tags) groupIds.add(await ensureGroup(tx, accountId, title));
  return [...groupIds];
}

async function mapColumns(
  tx: Tx,
  accountId: number,
  input: ImportOrder,
  preview: FilePreview,
  fieldCreation: FieldCreation,
): Promise<MappedColumn[]> {
  const requestedColumns = withAddressColumns(input);
  const fields = await readFields(tx, accountId);
  const mappedColumns: MappedColumn[] = [];
  const usedTargets = new Set<string>();
  for (const [i, column] of requestedColumns.entries()) {
    const path = column.inputName === undefined ? `columns.${i}` : column.inputName;
    if (column.target === 'skip') continue;
    const previewColumn = preview.columns[column.column];
    if (previewColumn === undefined) throw invalid({ [path]: ['errors.no_such_column'] });
    const target = await resolveTarget(tx, accountId, column, fields, {
      path: `${path}.target`,
      fieldCreation,
    });
    const key = typeof target === 'object' ? `field ${target.field}` : target;
    if (
      !SHARED_TARGETS.includes(key) &&
      listConflictingTargets(key).some((target) => usedTargets.has(target))
    )
      throw invalid({ [path]: ['errors.target_twice'] });
    usedTargets.add(key);
    mappedColumns.push({
      column: column.column,
      title: previewColumn.title || column.title || `#${column.column + 1}`,
      target,
      dateOrder: column.date_order ?? previewColumn.dateOrder ?? getDefaultDateOrder(undefined),
      decimalMark: column.decimal_mark ?? previewColumn.decimalMark,
      ...(previewColumn.noMeansLeft && { noMeansLeft: true }),
      ...(previewColumn.isNumbered &&
        preview.service && {
          numberedGroup: fieldCreation.formatListTitle(serviceNames[preview.service]),
        }),
    });
  }
  if (!usedTargets.has('email') && !usedTargets.has('phone'))
    throw invalid({ emailColumn: ['errors.no_address_column'] });
  return mappedColumns;
}

type RequestedColumn = StartInput['columns'][number] & { inputName?: string };

/** emailColumn and phoneColumn are equivalent to a column with that target. */
function withAddressColumns(input: ImportOrder): RequestedColumn[] {
  const columns: RequestedColumn[] = [...input.columns];
  for (const [inputName, target] of [
    ['emailColumn', 'email'],
    ['phoneColumn', 'phone'],
  ] as const) {
    const index = input[inputName];
    if (index === null || index === undefined) continue;
    const sameColumn = columns.findIndex((column) => column.column === index);
    if (sameColumn !== -1 && columns[sameColumn]?.target === target) continue;
    if (sameColumn !== -1) columns.splice(sameColumn, 1);
    columns.push({ column: index, target, inputName });
  }
  return columns;
}

async function resolveTarget(
  tx: Tx,
  accountId: number,
  column: RequestedColumn,
  fields: FieldFacts[],
  context: { path: string; fieldCreation: FieldCreation },
): Promise<MappedColumn['target']> {
  const { createField: newField, yesNo } = context.fieldCreation;
  const { path } = context;
  const columnTarget = COLUMN_TARGETS.find((target) => target === column.target);
  if (columnTarget !== undefined && columnTarget !== 'skip') return columnTarget;
  if (column.target === 'new') {
    const title = column.title?.trim() ?? '';
    if (title === '') throw invalid({ [path]: ['errors.new_field_title'] });
    const isYesNo = column.type === 'yes_no';
    const type = column.type === 'yes_no' ? 'text' : (column.type ?? 'text');
    const sameField = fields.find(
      (field) => field.title.toLowerCase() === title.toLowerCase() && field.type === type,
    );
    const field = sameField ?? (await newField(tx, accountId, { title, type }));
    return { field: field.id, type, ...(isYesNo && { yesNo }) };
  }
  const id = decodeId('field', column.target);
  const field = fields.find((field) => field.id === id);
  if (field === undefined) throw invalid({ [path]: ['errors.unknown_target'] });
  return { field: field.id, type: field.type };
}
