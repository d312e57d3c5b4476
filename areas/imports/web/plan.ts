// A user's decisions about a file before its import; pure functions, so that each rule is testable.
import type { ImportPreview } from '../contract.ts';
import { listConflictingTargets } from '../full-name.ts';
import {
  CONSENT_TARGETS,
  type DateOrder,
  type DecimalMark,
  type FieldValueType,
  type FileStatus,
  type NewFieldType,
  SHARED_TARGETS,
} from '../shared.ts';

export interface PlannedColumn {
  column: number;
  title: string;
  /** A fixed target, a field's id, or `new`. */
  target: string;
  newTitle: string;
  type: NewFieldType;
  /** Whether the column needs no decision: it has internal data of the service, or no values. */
  isIdle: boolean;
  /** Whether title and values indicate consent or opt-outs. */
  isOptOut: boolean;
  /** Whether the user decided to ignore the opt-outs of the column. */
  isIgnored: boolean;
  dateOrder: DateOrder;
  decimalMark: DecimalMark;
}

interface GroupName {
  from: string;
  to: string;
}

export interface MappingPlan {
  columns: PlannedColumn[];
  /** Titles of the existing and new groups that all imported subscribers join. */
  groups: string[];
  /** New titles of groups named in rows. */
  groupNames: GroupName[];
  /** The status of rows that contain none; null if they become active. */
  fileStatus: FileStatus | null;
  isAttested: boolean;
  isSmsAttested: boolean;
}

export type PlanIssue = 'noAddress' | 'notAttested' | 'newTitle' | 'optOut';

/** Returns the plan proposed by the preview; consent is never proposed. */
export function createPlan(preview: ImportPreview): MappingPlan {
  return {
    columns: preview.columns.map((column) => ({
      column: column.column,
      title: column.title,
      target: column.target,
      newTitle: column.title,
      type: column.type,
      isIdle: column.is_own || !column.is_filled,
      isOptOut: column.is_opt_out,
      isIgnored: false,
      dateOrder: column.date_order,
      decimalMark: column.decimal_mark,
    })),
    groups: [],
    groupNames: [],
    fileStatus: preview.file_status,
    isAttested: false,
    isSmsAttested: false,
  };
}

/**
 * Maps the column at `columnIndex` to a target. If only one column can have the target, other
 * columns with it are skipped, and so are columns with a conflicting target.
 */
export function withTarget(plan: MappingPlan, columnIndex: number, target: string): MappingPlan {
  const isShared = target === 'skip' || target === 'new' || SHARED_TARGETS.includes(target);
  const conflicts = listConflictingTargets(target);
  return {
    ...plan,
    columns: plan.columns.map((column) => {
      if (column.column === columnIndex) return { ...column, target };
      return !isShared && conflicts.includes(column.target)
        ? { ...column, target: 'skip' }
        : column;
    }),
  };
}

export function withColumn(
  plan: MappingPlan,
  columnIndex: number,
  change: Partial<PlannedColumn>,
): MappingPlan {
  return {
    ...plan,
    columns: plan.columns.map((column) =>
      column.column === columnIndex ? { ...column, ...change } : column,
    ),
  };
}

/**
 * Renames a group that would be created as `title`, whether it is in the plan's groups or named in
 * rows.
 */
export function withGroupName(plan: MappingPlan, title: string, next: string): MappingPlan {
  const renameGroup = (name: string) => (isSameTitle(name, title) ? next : name);
  const isFirstRename = !plan.groupNames.some(({ to }) => isSameTitle(to, title));
  return {
    ...plan,
    groups: [...new Set(plan.groups.map(renameGroup))],
    groupNames: [
      ...plan.groupNames.map(({ from, to }) => ({ from, to: renameGroup(to) })),
      ...(isFirstRename ? [{ from: title, to: next }] : []),
    ],
  };
}

const isSameTitle = (a: string, b: string) => a.trim().toLowerCase() === b.trim().toLowerCase();

/**
 * Lists skipped columns with values, except internal data of the service and opt-outs without a
 * decision.
 */
export function listUnmatchedColumns(plan: MappingPlan): PlannedColumn[] {
  return plan.columns.filter(
    ({ target, isIdle, isOptOut, isIgnored }) =>
      target === 'skip' && !isIdle && (!isOptOut || isIgnored),
  );
}

/**
 * Lists opt-out columns that are neither mapped to a consent target nor ignored; empty if the
 * import needs no consent.
 */
export function listUndecidedOptOuts(plan: MappingPlan): PlannedColumn[] {
  if (!needsConsent(plan)) return [];
  return plan.columns.filter(
    ({ isOptOut, isIgnored, target }) =>
      isOptOut && !isIgnored && !CONSENT_TARGETS.includes(target),
  );
}

/** Maps each of these columns to a new field with the type of its values. */
export function withNewFields(plan: MappingPlan, columnIndexes: readonly number[]): MappingPlan {
  const newColumns = new Set(columnIndexes);
  return {
    ...plan,
    columns: plan.columns.map((column) =>
      newColumns.has(column.column) ? { ...column, target: 'new' } : column,
    ),
  };
}

/** Returns whether a row could make an email status active: only then is consent requested. */
export function needsConsent(plan: MappingPlan): boolean {
  return plan.fileStatus === null || hasTarget(plan, 'email_status');
}

export function hasTarget(plan: MappingPlan, target: string): boolean {
  return plan.columns.some((column) => column.target === target);
}

export function findPlanIssue(plan: MappingPlan): PlanIssue | undefined {
  if (!hasTarget(plan, 'email') && !hasTarget(plan, 'phone')) return 'noAddress';
  if (plan.columns.some((column) => column.target === 'new' && column.newTitle.trim() === ''))
    return 'newTitle';
  if (listUndecidedOptOuts(plan).length > 0) return 'optOut';
  return plan.isAttested || !needsConsent(plan) ? undefined : 'notAttested';
}

/**
 * Returns the type of the account's field, new field or date that a column is mapped to, or
 * undefined for other targets.
 */
export function getTargetType(
  column: PlannedColumn,
  fields: ReadonlyArray<{ id: string; type: FieldValueType }>,
): FieldValueType | undefined {
  if (column.target === 'new') return column.type === 'yes_no' ? 'text' : column.type;
  if (column.target === 'consent_at' || column.target === 'unsubscribed_at') return 'datetime';
  return fields.find((field) => field.id === column.target)?.type;
}

function listChannels(plan: MappingPlan): Array<'email' | 'sms'> {
  const hasSms = plan.isSmsAttested && hasTarget(plan, 'phone');
  return [...(needsConsent(plan) ? ['email' as const] : []), ...(hasSms ? ['sms' as const] : [])];
}

/** Returns the mapping of rows to subscribers: the input of a forecast. */
export function toForecastBody(preview: ImportPreview, plan: MappingPlan) {
  const findColumn = (target: string) =>
    plan.columns.find((column) => column.target === target)?.column ?? null;
  const mappedColumns = plan.columns.filter((column) => column.target !== 'skip');
  return {
    emailColumn: findColumn('email'),
    phoneColumn: findColumn('phone'),
    columns: mappedColumns.map((column) => ({
      column: column.column,
      target: column.target,
      ...(column.target === 'new' ? { title: column.newTitle.trim(), type: column.type } : {}),
      date_order: column.dateOrder,
      decimal_mark: column.decimalMark,
    })),
    ignored_opt_outs: plan.columns.flatMap(({ column, isIgnored }) => (isIgnored ? [column] : [])),
    file_status: plan.fileStatus,
    group_names: plan.groupNames,
    encoding: preview.encoding,
    delimiter: preview.delimiter,
    has_header: preview.has_header,
    ...(preview.has_header && { header_row: preview.header_row }),
    channels: listChannels(plan),
    group_titles: plan.groups,
  };
}

/**
 * Files with up to this number of rows are read in a moment, so that their forecast, which shows
 * the groups, runs without a request by the user.
 */
const MAX_ROWS_AT_ONCE = 20_000;

export function showsGroupsAtOnce(preview: ImportPreview, plan: MappingPlan): boolean {
  const fault = findPlanIssue(plan);
  const isReady = fault === undefined || fault === 'notAttested' || fault === 'optOut';
  const hasGroups = plan.groups.length > 0 || hasTarget(plan, 'groups');
  return isReady && hasGroups && preview.rowCount <= MAX_ROWS_AT_ONCE;
}

export type ForecastOrder = ReturnType<typeof toForecastBody>;

/** Returns the body of start_import. */
export function toImportBody(
  preview: ImportPreview,
  plan: MappingPlan,
  groups: ReadonlyArray<{ id: string; title: string }>,
) {
  const idByTitle = new Map(groups.map((group) => [group.title.trim().toLowerCase(), group.id]));
  const { channels, group_titles: _, ...order } = toForecastBody(preview, plan);
  return {
    ...order,
    source: preview.source,
    method: preview.method,
    fileName: preview.fileName,
    rowCount: preview.rowCount,
    matchedColumns: order.columns.length,
    tags: plan.groups.flatMap((title) => idByTitle.get(title.trim().toLowerCase()) ?? []),
    new_tags: plan.groups.filter((title) => !idByTitle.has(title.trim().toLowerCase())),
    ...(channels.length > 0 && { consent: { attested: true as const, channels } }),
  };
}
