// What a person decides about a file before its import: pure, so that each rule can be tested.
import type { ImportPreview } from '../contract.ts';
import type { DateOrder, DecimalMark, FieldType } from '../limits.ts';

export interface PlannedColumn {
  column: number;
  title: string;
  /** A fixed target, a field's id, or `new`. */
  target: string;
  newTitle: string;
  type: FieldType;
  dateOrder: DateOrder;
  decimalMark: DecimalMark;
}

export interface Plan {
  columns: PlannedColumn[];
  /** Titles of groups, those that are there and new ones. */
  groups: string[];
  isAttested: boolean;
  isSmsAttested: boolean;
}

export type PlanFault = 'noAddress' | 'notAttested' | 'newTitle';

/** The plan that the preview proposes; consent is never proposed. */
export function planOf(preview: ImportPreview): Plan {
  return {
    columns: preview.columns.map((column) => ({
      column: column.column,
      title: column.title,
      target: column.target,
      newTitle: column.title,
      type: column.type,
      dateOrder: column.date_order,
      decimalMark: column.decimal_mark,
    })),
    groups: preview.tags,
    isAttested: false,
    isSmsAttested: false,
  };
}

/** A target belongs to one column: whoever had it before is skipped. */
export function withTarget(plan: Plan, place: number, target: string): Plan {
  const isShared = target === 'skip' || target === 'new';
  return {
    ...plan,
    columns: plan.columns.map((column) => {
      if (column.column === place) return { ...column, target };
      return !isShared && column.target === target ? { ...column, target: 'skip' } : column;
    }),
  };
}

export function withColumn(plan: Plan, place: number, change: Partial<PlannedColumn>): Plan {
  return {
    ...plan,
    columns: plan.columns.map((column) =>
      column.column === place ? { ...column, ...change } : column,
    ),
  };
}

export function hasTarget(plan: Plan, target: string): boolean {
  return plan.columns.some((column) => column.target === target);
}

export function faultOf(plan: Plan): PlanFault | undefined {
  if (!hasTarget(plan, 'email') && !hasTarget(plan, 'phone')) return 'noAddress';
  if (plan.columns.some((column) => column.target === 'new' && column.newTitle.trim() === ''))
    return 'newTitle';
  return plan.isAttested ? undefined : 'notAttested';
}

/** The type of what a column goes to, where dates or numbers can be read in two ways. */
export function typeOfTarget(
  column: PlannedColumn,
  fields: ReadonlyArray<{ id: string; type: FieldType }>,
): FieldType | undefined {
  if (column.target === 'new') return column.type;
  if (column.target === 'consent_at' || column.target === 'unsubscribed_at') return 'datetime';
  return fields.find((field) => field.id === column.target)?.type;
}

/** How the rows become people: what a forecast is told. */
export function forecastOf(preview: ImportPreview, plan: Plan) {
  const place = (target: string) =>
    plan.columns.find((column) => column.target === target)?.column ?? null;
  const used = plan.columns.filter((column) => column.target !== 'skip');
  return {
    emailColumn: place('email'),
    phoneColumn: place('phone'),
    columns: used.map((column) => ({
      column: column.column,
      target: column.target,
      ...(column.target === 'new' ? { title: column.newTitle.trim(), type: column.type } : {}),
      date_order: column.dateOrder,
      decimal_mark: column.decimalMark,
    })),
    encoding: preview.encoding,
    delimiter: preview.delimiter,
    has_header: preview.has_header,
    channels:
      plan.isSmsAttested && hasTarget(plan, 'phone')
        ? (['email', 'sms'] as Array<'email' | 'sms'>)
        : (['email'] as Array<'email' | 'sms'>),
  };
}

export type ForecastOrder = ReturnType<typeof forecastOf>;

/** The body of start_import. */
export function orderOf(
  preview: ImportPreview,
  plan: Plan,
  groups: ReadonlyArray<{ id: string; title: string }>,
) {
  const idOf = new Map(groups.map((group) => [group.title.trim().toLowerCase(), group.id]));
  const { channels, ...order } = forecastOf(preview, plan);
  return {
    ...order,
    source: preview.source,
    method: preview.method,
    fileName: preview.fileName,
    rowCount: preview.rowCount,
    matchedColumns: order.columns.length,
    tags: plan.groups.flatMap((title) => idOf.get(title.trim().toLowerCase()) ?? []),
    new_tags: plan.groups.filter((title) => !idOf.has(title.trim().toLowerCase())),
    consent: { attested: true as const, channels },
  };
}
