// Generates platform/server/database/database.generated.ts from a migrated database's catalog.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';

const TARGET = path.resolve(
  import.meta.dirname,
  '../platform/server/database/database.generated.ts',
);

/** The generic type of JSON columns; its argument is `table.column` (see JsonColumns). */
const JSON_TYPE = 'Json';

/** IDs with a branded type: see IdColumns. */
const TYPED_IDS: readonly string[] = ['campaigns.message_id', 'sms_campaigns.message_id'];

const TYPES: Record<string, string> = {
  int2: 'number',
  int4: 'number',
  int8: 'number',
  float8: 'number',
  float4: 'number',
  numeric: 'number',
  bool: 'boolean',
  text: 'string',
  varchar: 'string',
  uuid: 'string',
  timestamp: 'string',
  date: 'string',
  timestamptz: 'Timestamp',
  bytea: 'Buffer',
  jsonb: JSON_TYPE,
  json: JSON_TYPE,
  inet: 'string',
};

type DatabaseColumn = {
  table: string;
  name: string;
  type: string;
  nullable: boolean;
  has_default: boolean;
};

async function readColumns(client: pg.Client): Promise<DatabaseColumn[]> {
  const { rows } = await client.query<DatabaseColumn>(`
    select c.relname as table, a.attname as name, t.typname as type,
      not a.attnotnull as nullable, (a.atthasdef or a.attidentity <> '') as has_default
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    join pg_type t on t.oid = a.atttypid
    where c.relkind in ('r', 'p') and not c.relispartition
    order by c.relname, a.attnum`);
  return rows;
}

async function readEnums(client: pg.Client): Promise<Map<string, string[]>> {
  const { rows } = await client.query<{ name: string; labels: string[] }>(`
    select t.typname as name, array_agg(e.enumlabel::text order by e.enumsortorder) as labels
    from pg_type t join pg_enum e on e.enumtypid = t.oid
    join pg_namespace n on n.oid = t.typnamespace and n.nspname = 'public'
    group by t.typname order by t.typname`);
  return new Map(rows.map((row) => [row.name, row.labels]));
}

const pascal = (name: string) =>
  name.replace(/(^|_)(\w)/g, (_, __, character: string) => character.toUpperCase());

function columnType(column: DatabaseColumn, enums: Map<string, string[]>): string {
  const isArray = column.type.startsWith('_');
  const name = isArray ? column.type.slice(1) : column.type;
  const base = enums.has(name) ? pascal(name) : TYPES[name];
  if (!base)
    throw new Error(`No TypeScript type for ${column.table}.${column.name}: ${column.type}`);
  const columnName = `${column.table}.${column.name}`;
  const specialType = base === JSON_TYPE ? base : TYPED_IDS.includes(columnName) ? 'Id' : undefined;
  const single = specialType ? `${specialType}<'${columnName}'>` : base;
  const type = `${isArray ? `${single}[]` : single}${column.nullable ? ' | null' : ''}`;
  return column.has_default ? `Generated<${type}>` : type;
}

/** Returns the file's text for the database at `url`. */
export async function renderDatabaseTypes(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const [columns, enums] = [await readColumns(client), await readEnums(client)];
    const tables = Map.groupBy(columns, (column) => column.table);
    const lines = [
      '// Generated from migrations/ by `npm run generate`. Not edited by hand.',
      "import type { ColumnType } from 'kysely';",
      '',
      'export type Generated<T> =',
      '  T extends ColumnType<infer S, infer I, infer U>',
      '    ? ColumnType<S, I | undefined, U>',
      '    : ColumnType<T, T | undefined, T>;',
      'export type Timestamp = ColumnType<Date, Date | string, Date | string>;',
      'export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue | undefined };',
      '/** Types of JSON columns by `table.column`; each area declares its own in server/tables.ts. */',
      'export interface JsonColumns {}',
      '/** Types of ids by `table.column`, as JsonColumns. */',
      'export interface IdColumns {}',
      'export type Id<Column extends string> = Column extends keyof IdColumns ? IdColumns[Column] : number;',
      'export type Json<Column extends string> = ColumnType<',
      '  Column extends keyof JsonColumns ? JsonColumns[Column] : JsonValue,',
      '  string,',
      '  string',
      '>;',
      '',
    ];
    for (const [name, labels] of enums) {
      lines.push(
        `export type ${pascal(name)} = ${labels.map((label) => `'${label}'`).join(' | ')};`,
      );
    }
    lines.push('');
    for (const [table, tableColumns] of tables) {
      lines.push(`export type ${pascal(table)}Table = {`);
      for (const column of tableColumns)
        lines.push(`  ${column.name}: ${columnType(column, enums)};`);
      lines.push('};', '');
    }
    lines.push('export type DB = {');
    for (const table of tables.keys()) lines.push(`  ${table}: ${pascal(table)}Table;`);
    lines.push('};', '');
    return lines.join('\n');
  } finally {
    await client.end();
  }
}

/**
 * Writes the file, or with `check` only compares it. Returns whether the file was current or has
 * been written.
 */
export async function writeDatabaseTypes(url: string, check = false): Promise<boolean> {
  const text = await renderDatabaseTypes(url);
  const currentText = await readFile(TARGET, 'utf8').catch(() => '');
  if (currentText === text) return true;
  if (!check) await writeFile(TARGET, text);
  return !check;
}

if (import.meta.main) {
  const url = process.argv[2];
  if (!url) throw new Error('usage: database-types.ts <database url>');
  await writeDatabaseTypes(url);
}
