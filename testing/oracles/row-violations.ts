// Compares the declared row types with the columns that PostgreSQL describes for the recorded
// statements: name, type, and nullability if a column comes from a table.
import type pg from 'pg';
import type { DeclaredColumn, DeclaredRow } from './row-types.ts';

interface CatalogColumn {
  name: string;
  dataTypeID: number;
  tableID: number;
  columnID: number;
}

/** The kinds of values that pg and the parsers of database.ts return, by type name. */
const KIND_BY_TYPE: Record<string, string> = {
  ...{ int2: 'number', int4: 'number', int8: 'number', oid: 'number', numeric: 'number' },
  ...{ float4: 'number', float8: 'number', bool: 'boolean', bytea: 'Buffer' },
  ...{ timestamptz: 'Date', timestamp: 'string', date: 'string' },
  ...{ json: 'json', jsonb: 'json', interval: 'object' },
};
const ARRAYS: Record<string, string> = {
  ...{ _int2: 'number[]', _int4: 'number[]', _int8: 'number[]', _numeric: 'number[]' },
  ...{ _float4: 'number[]', _float8: 'number[]', _bool: 'boolean[]', _bytea: 'Buffer[]' },
  ...{ _timestamptz: 'Date[]', _timestamp: 'Date[]', _date: 'Date[]' },
  ...{ _json: 'json[]', _jsonb: 'json[]' },
};

/** The types and columns of a database, read once. */
export interface DatabaseCatalog {
  types: Map<number, string>;
  /** Keys are `table.column`, both as numbers. Views and temporary tables are not included. */
  columns: Map<string, { table: string; name: string; isNotNull: boolean }>;
}

export async function readCatalog(client: pg.Client): Promise<DatabaseCatalog> {
  const { rows: types } = await client.query<{ oid: number; name: string }>(
    `select t.oid::int as oid, coalesce(b.typname, t.typname) as name
    from pg_type t left join pg_type b on t.typtype = 'd' and b.oid = t.typbasetype`,
  );
  const { rows: columns } = await client.query<{
    key: string;
    table: string;
    name: string;
    isNotNull: boolean;
  }>(
    `select attrelid || '.' || attnum as key, relname as "table", attname as name,
      attnotnull as "isNotNull"
    from pg_attribute join pg_class on pg_class.oid = attrelid
    where attnum > 0 and not attisdropped and relkind in ('r', 'p') and relpersistence <> 't'`,
  );
  return {
    types: new Map(types.map(({ oid, name }) => [oid, name])),
    columns: new Map(columns.map(({ key, ...column }) => [key, column])),
  };
}

/** Returns the columns of a statement without executing it; empty if it returns no rows. */
function describeStatement(client: pg.Client, text: string): Promise<CatalogColumn[]> {
  return new Promise((resolve, reject) => {
    let columns: CatalogColumn[] = [];
    // An object with the methods that pg calls for a query, because pg has no other way to describe
    // a statement.
    const query = {
      submit(connection: pg.Connection) {
        connection.parse({ name: '', text, types: [] }, true);
        connection.describe({ type: 'S', name: '' }, true);
        connection.sync();
      },
      handleRowDescription: ({ fields }: { fields: CatalogColumn[] }) => {
        columns = fields;
      },
      handleReadyForQuery: () => resolve(columns),
      handleError: reject,
    };
    client.query(query as unknown as pg.Submittable);
  });
}

/**
 * Returns the differences between the declared row of a template and the columns of a statement
 * built from it, one sentence each.
 */
export async function findRowViolations(
  client: pg.Client,
  sql: string,
  declaredRows: readonly DeclaredRow[],
  catalog: DatabaseCatalog,
): Promise<string[]> {
  const rows = templatesOf(sql, declaredRows);
  if (rows.length === 0) return [];
  // A statement that cannot be described is reported when it is explained.
  const columns = await describeStatement(client, sql).catch(() => undefined);
  if (!columns) return [];
  // Templates with identical text cannot be distinguished, so one match is enough.
  const violationsByRow = rows.map((row) => columnViolations(row, columns, sql, catalog));
  return violationsByRow.some((violations) => violations.length === 0)
    ? []
    : (violationsByRow[0] ?? []);
}

/**
 * Returns the templates that the statement may have been built from: the ones with the longest
 * matching text.
 */
function templatesOf(sql: string, declaredRows: readonly DeclaredRow[]): DeclaredRow[] {
  const matching = declaredRows
    .filter(({ texts }) => matches(sql, texts))
    .map((row) => ({ row, length: row.texts.join('').trim().length }));
  const maxLength = Math.max(0, ...matching.map(({ length }) => length));
  return matching
    .filter(({ length }) => length === maxLength && maxLength > 0)
    .map(({ row }) => row);
}

/**
 * Returns whether the statement consists of these fragments in this order, with only values between
 * them.
 */
export function matches(sql: string, fragments: readonly string[]): boolean {
  const [first = '', ...middle] = fragments;
  const lastFragment = middle.pop();
  if (lastFragment === undefined) return sql === first;
  if (!sql.startsWith(first) || !sql.endsWith(lastFragment)) return false;
  let offset = first.length;
  for (const text of middle) {
    const index = sql.indexOf(text, offset);
    if (index < 0) return false;
    offset = index + text.length;
  }
  return offset <= sql.length - lastFragment.length;
}

function columnViolations(
  { location, columns: declaredColumns }: DeclaredRow,
  columns: readonly CatalogColumn[],
  sql: string,
  catalog: DatabaseCatalog,
): string[] {
  return declaredColumns.flatMap((column) => {
    const catalogColumn = columns.find(({ name }) => name === column.name);
    if (!catalogColumn)
      return [`${location} declares ${column.name}, which the statement does not return.`];
    const type = catalog.types.get(catalogColumn.dataTypeID) ?? '';
    const kind =
      KIND_BY_TYPE[type] ?? ARRAYS[type] ?? (type.startsWith('_') ? 'string[]' : 'string');
    if (!fits(kind, column.kinds)) {
      return [
        `${location} declares ${column.name} as ${column.kinds.join(' | ')}, which is ${type}.`,
      ];
    }
    return isWronglyNotNull(column, catalogColumn, sql, catalog)
      ? [`${location} declares ${column.name} without null, which may be null.`]
      : [];
  });
}

function fits(kind: string, declaredKinds: readonly string[]): boolean {
  if (kind === 'json') return true;
  if (kind === 'json[]')
    return declaredKinds.every((name) => name === 'any' || name.endsWith('[]'));
  return declaredKinds.every(
    (name) => name === 'any' || name === kind || (name === 'any[]' && kind.endsWith('[]')),
  );
}

/**
 * Returns whether a column of a table may be null but is declared without null. A condition of the
 * statement may exclude null, and a left join may add it.
 */
function isWronglyNotNull(
  { isNullable }: DeclaredColumn,
  { tableID, columnID }: CatalogColumn,
  sql: string,
  { columns }: DatabaseCatalog,
): boolean {
  const column = columns.get(`${tableID}.${columnID}`);
  if (isNullable || !column) return false;
  const text = sql.replace(/\s+/g, ' ');
  if (column.isNotNull) return isOnlyLeftJoined(text, column.table);
  const { name } = column;
  const excludesNull = new RegExp(
    `\\b${name}"? (?:is not null|is true|=|<>|<|>|<=|>=|in \\(|between|like|~)|(?:[=<>]|any ?\\() ?(?:"?\\w+"?\\.)?"?${name}\\b|using \\([^)]*\\b${name}\\b`,
    'i',
  );
  return !excludesNull.test(text);
}

/** Returns whether the statement mentions the table only as the right side of a left join. */
function isOnlyLeftJoined(text: string, table: string): boolean {
  const mention = new RegExp(
    `(\\w+ )?(?:join|from|into|update|,|using) "?${table}"?(?![\\w.])`,
    'gi',
  );
  const precedingWords = Array.from(text.matchAll(mention), ([, word = '']) =>
    word.trim().toLowerCase(),
  );
  return precedingWords.length > 0 && precedingWords.every((word) => word === 'left');
}
