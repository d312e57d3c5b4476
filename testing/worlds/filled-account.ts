// An account with a row in every table, whose text contains an address and a number in every column
// that may contain text of users or subscribers. Built from the catalog, so that new tables and
// columns are included.
import { type RawBuilder, sql } from 'kysely';
import { clock } from '#platform/server/clock.ts';
import type { Db, Tx } from '#platform/server/database/database.ts';
import { inTransaction } from '#platform/server/database/database.ts';

export type CatalogColumn = {
  table: string;
  column: string;
  /** Name of the type; `_text` is an array of texts. */
  type: string;
  isEnum: boolean;
  isRequired: boolean;
  hasDefault: boolean;
  isGenerated: boolean;
  isReference: boolean;
  /** The check constraints that name the column. */
  checks: string;
};

/** Returns all columns of tables with an `account_id`, in the order of their definition. */
export async function listAccountColumns(db: Db): Promise<CatalogColumn[]> {
  const { rows } = await sql<CatalogColumn>`
    select t.relname as table, a.attname as column, y.typname as type, y.typtype = 'e' as "isEnum",
      a.attnotnull as "isRequired", a.atthasdef as "hasDefault", a.attgenerated <> '' as "isGenerated",
      exists (select 1 from pg_constraint c where c.conrelid = t.oid and c.contype = 'f'
        and a.attnum = any(c.conkey)) as "isReference",
      coalesce((select string_agg(pg_get_constraintdef(c.oid), ' ') from pg_constraint c
        where c.conrelid = t.oid and c.contype = 'c' and a.attnum = any(c.conkey)), '') as checks
    from pg_class t
    join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
    join pg_type y on y.oid = a.atttypid
    where t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p') and not t.relispartition
      and exists (select 1 from pg_attribute o where o.attrelid = t.oid and o.attname = 'account_id')
    order by t.relname, a.attnum`.execute(db);
  return rows;
}

/** Returns the values of a column that a check constraint limits to a list. */
export function listAllowedValues({ column, checks }: CatalogColumn): string[] {
  const list = new RegExp(`\\b${column}\\)*(?:::text)? = ANY \\(\\(?ARRAY\\[([^\\]]*)\\]`).exec(
    checks,
  )?.[1];
  return [...(list ?? '').matchAll(/'([^']*)'/g)].map(([, value]) => value ?? '');
}

/** Types whose values may contain free text. */
const TEXT_TYPES = new Set(['text', '_text', 'jsonb', 'json']);

export const mayContainText = (column: CatalogColumn): boolean =>
  TEXT_TYPES.has(column.type) &&
  !column.isGenerated &&
  !column.isReference &&
  listAllowedValues(column).length === 0;

export type Filling = {
  accountId: number;
  /** The ID of every inserted row, and of every object that it refers to. */
  id: number;
  /** The text of a column, or undefined for a column that contains only codes. */
  textOf: (column: CatalogColumn) => string | undefined;
  /** Values of columns that need another form, by `table.column`. */
  values: Readonly<Record<string, unknown>>;
};

/** Values of columns whose constraints refuse the usual ones, by `table.column`. */
export const LIMITED_VALUES: Readonly<Record<string, unknown>> = {
  'attributions.message_id': null,
  'audit_settings.retention_days': 400,
  'campaign_experiments.duration_hours': 24,
  'campaign_resends.delay_hours': 24,
  'contact_guards.quiet_from': null,
  'contact_guards.quiet_until': null,
  'contents.revision': 1,
  'forms.published_version': 1,
  'messages.kind': 'transactional',
  'sending_windows.hours_to': 24,
  'sms_experiments.duration_hours': 24,
  'sms_results.ordinal': 1,
  'subscribers.deleted_at': null,
  'workflow_past_passes.trail': [],
  'workflow_runs.trail': [],
};

/** Inserts one row in each table, without checks of references. */
export async function fillAccount(
  db: Db,
  columns: readonly CatalogColumn[],
  filling: Filling,
): Promise<void> {
  const tables = Map.groupBy(columns, ({ table }) => table);
  await inTransaction(db, async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    for (const [table, tableColumns] of tables) await insertRow(tx, table, tableColumns, filling);
  });
}

async function insertRow(
  tx: Tx,
  table: string,
  columns: readonly CatalogColumn[],
  filling: Filling,
): Promise<void> {
  const entries = columns.flatMap((column) => {
    const value = column.isGenerated ? undefined : valueOf(column, filling);
    return value === undefined ? [] : [[column.column, value] as const];
  });
  await sql`
    insert into ${sql.table(table)} (${sql.join(entries.map(([name]) => sql.ref(name)))})
    overriding system value
    values (${sql.join(entries.map(([, value]) => value))})
    on conflict do nothing`.execute(tx);
}

/** Returns undefined for the default value of the column. */
function valueOf(column: CatalogColumn, filling: Filling): RawBuilder<unknown> | undefined {
  const { type, isEnum, isRequired, hasDefault } = column;
  const name = `${column.table}.${column.column}`;
  if (name in filling.values) return toSql(column, filling.values[name]);
  if (column.column === 'account_id') return sql`${filling.accountId}::bigint`;
  if (type === 'int8' && !hasDefault) return sql`${filling.id}::bigint`;
  const allowed = listAllowedValues(column)[0];
  if (allowed !== undefined) return isRequired && !hasDefault ? toSql(column, allowed) : undefined;
  if (mayContainText(column)) {
    const text = filling.textOf(column);
    if (text !== undefined) return toSql(column, wrapText(type, text));
  }
  if (!isRequired || hasDefault) return undefined;
  if (isEnum) return sql`(enum_range(null::${sql.ref(type)}))[1]`;
  return PLAIN[type]?.(filling.id) ?? sql`${column.column.slice(0, 3)}`;
}

const wrapText = (type: string, text: string) =>
  type === 'text' ? text : type === '_text' ? [text] : { text };

const toSql = ({ type }: CatalogColumn, value: unknown): RawBuilder<unknown> =>
  type === 'jsonb' || type === 'json'
    ? sql`${JSON.stringify(value)}::jsonb`
    : sql`${value}::${sql.ref(type)}`;

const PLAIN: Record<string, (id: number) => RawBuilder<unknown>> = {
  int2: () => sql`1`,
  int4: () => sql`1`,
  int8: (id) => sql`${id}::bigint`,
  _int8: () => sql`'{}'::bigint[]`,
  _int4: () => sql`'{}'::integer[]`,
  _int2: () => sql`'{}'::smallint[]`,
  _text: () => sql`'{}'::text[]`,
  _bytea: () => sql`'{}'::bytea[]`,
  bool: () => sql`false`,
  numeric: () => sql`1`,
  float4: () => sql`1`,
  float8: () => sql`1`,
  text: (id) => sql`${`code${id}`}`,
  jsonb: () => sql`'{}'::jsonb`,
  bytea: (id) => sql`${Buffer.from(`hash ${id}`)}`,
  timestamptz: () => sql`${clock.now()}::timestamptz`,
  date: () => sql`${clock.now()}::date`,
  _timestamptz: () => sql`'{}'::timestamptz[]`,
};
