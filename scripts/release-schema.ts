// The schema that the last release uses: migrations/last-release.json, which `npm run generate --
// --release` writes at a release. `npm run check` compares it with the current schema because the
// release's processes run while the next version's migrations are applied.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import product from '../package.json' with { type: 'json' };

const FILE = join(import.meta.dirname, '..', 'migrations', 'last-release.json');

type SchemaColumn = {
  type: string;
  /** Whether an INSERT may omit the column. */
  isOptional: boolean;
};
export type ReleaseSchema = {
  tables: Record<string, Record<string, SchemaColumn>>;
  /** Unique indexes as `table (columns) where …`, which are possible targets of ON CONFLICT. */
  uniques: string[];
  constraints: { table: string; name: string; columns: string[]; definition: string }[];
  enums: Record<string, string[]>;
  functions: string[];
};
export type RecordedRelease = { version: string; migrations: string[]; schema: ReleaseSchema };

export const readRelease = (): RecordedRelease =>
  JSON.parse(readFileSync(FILE, 'utf8')) as RecordedRelease;

/** Reads the schema in the form recorded by a release. */
export async function readSchema(client: pg.Client): Promise<ReleaseSchema> {
  const queryRows = async <Row extends object>(sql: string) => (await client.query<Row>(sql)).rows;
  const columns = await queryRows<SchemaColumn & { table: string; name: string }>(`
    select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
      (not a.attnotnull or a.atthasdef or a.attidentity <> '') as "isOptional"
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v') and not c.relispartition
    order by 1, 2`);
  const tables: ReleaseSchema['tables'] = {};
  for (const { table, name, type, isOptional } of columns) {
    tables[table] = { ...tables[table], [name]: { type, isOptional } };
  }
  const uniques = await queryRows<{ line: string }>(`
    select c.relname || regexp_replace(pg_get_indexdef(i.indexrelid), '^.* USING btree', '') as line
    from pg_index i join pg_class c on c.oid = i.indrelid
    where i.indisunique and c.relnamespace = 'public'::regnamespace and not c.relispartition order by 1`);
  const constraints = await queryRows<ReleaseSchema['constraints'][number]>(`
    select c.relname as table, k.conname as name, pg_get_constraintdef(k.oid) as definition,
      coalesce((select array_agg(a.attname::text order by a.attnum) from pg_attribute a
        where a.attrelid = k.conrelid and a.attnum = any(k.conkey)), '{}') as columns
    from pg_constraint k join pg_class c on c.oid = k.conrelid
    where c.relnamespace = 'public'::regnamespace and not c.relispartition
      and k.contype in ('c', 'u', 'p', 'f', 'x') order by 1, 2`);
  const enums = await queryRows<{ name: string; labels: string[] }>(`
    select t.typname as name, array_agg(e.enumlabel::text order by e.enumsortorder) as labels
    from pg_type t join pg_enum e on e.enumtypid = t.oid
    where t.typnamespace = 'public'::regnamespace group by 1 order by 1`);
  const functions = await queryRows<{ line: string }>(`
    select proname || '(' || pg_get_function_identity_arguments(oid) || ') ' || pg_get_function_result(oid) as line
    from pg_proc where pronamespace = 'public'::regnamespace order by 1`);
  return {
    tables,
    uniques: uniques.map(({ line }) => line),
    constraints,
    enums: Object.fromEntries(enums.map(({ name, labels }) => [name, labels])),
    functions: functions.map(({ line }) => line),
  };
}

/** Returns errors that the release's processes would get with this schema, one sentence each. */
export function findUpgradeViolations(schemaBefore: ReleaseSchema, now: ReleaseSchema): string[] {
  return [
    ...columnViolations(schemaBefore, now),
    ...schemaBefore.uniques
      .filter((line) => now.tables[tableOf(line)] && !now.uniques.includes(line))
      .map((line) => `The unique index ${line} was removed.`),
    ...now.constraints.flatMap((constraint) => constraintViolations(constraint, schemaBefore)),
    ...Object.entries(schemaBefore.enums).flatMap(([name, labels]) =>
      labels
        .filter((label) => !now.enums[name]?.includes(label))
        .map((label) => `The value ${label} of ${name} was removed.`),
    ),
    ...schemaBefore.functions
      .filter((line) => !now.functions.includes(line))
      .map((line) => `The function ${line} was removed.`),
  ];
}

const tableOf = (line: string) => /^\w+/.exec(line)?.[0] ?? '';

function columnViolations(schemaBefore: ReleaseSchema, now: ReleaseSchema): string[] {
  return Object.entries(schemaBefore.tables).flatMap(([table, columns]) => {
    const columnsAfter = now.tables[table];
    if (!columnsAfter) return [`The table ${table} was removed.`];
    const changedColumns = Object.entries(columns).flatMap(([name, { type, isOptional }]) => {
      const column = columnsAfter[name];
      if (!column) return [`The column ${table}.${name} was removed.`];
      if (column.type !== type)
        return [`${table}.${name} is now ${column.type} instead of ${type}.`];
      return isOptional && !column.isOptional ? [`${table}.${name} now requires a value.`] : [];
    });
    const addedColumns = Object.entries(columnsAfter)
      .filter(([name, { isOptional }]) => !(name in columns) && !isOptional)
      .map(
        ([name]) => `${table}.${name} is new and requires a value: allow null or add a default.`,
      );
    return [...changedColumns, ...addedColumns];
  });
}

/** Reports new constraints that apply to rows written by the release. */
function constraintViolations(
  { table, name, columns, definition }: ReleaseSchema['constraints'][number],
  schemaBefore: ReleaseSchema,
): string[] {
  const columnsBefore = schemaBefore.tables[table];
  if (!columnsBefore || !columns.every((column) => column in columnsBefore)) return [];
  const constraintsOfTable = schemaBefore.constraints.filter(
    (constraint) => constraint.table === table,
  );
  if (
    constraintsOfTable.some(
      (constraint) =>
        constraint.definition === definition || widens(definition, constraint.definition),
    )
  )
    return [];
  return [
    `The constraint ${name} of ${table} restricts rows that were valid before: ${definition}.`,
  ];
}

/**
 * Returns whether the definition differs only by additional values, such as `check (kind in ('a',
 * 'b'))` that then also accepts `'c'`.
 */
function widens(definition: string, definitionBefore: string): boolean {
  const shape = (text: string) => text.replace(/'[^']*'(::\w+)?(, )?/g, '');
  const values = (text: string) => new Set(text.match(/'[^']*'/g) ?? []);
  return (
    definition.startsWith('CHECK') &&
    shape(definition) === shape(definitionBefore) &&
    values(definitionBefore).isSubsetOf(values(definition))
  );
}

/**
 * Returns the lines to print: a heading and the violations, or no lines if there is no violation.
 * @param url a database with all migrations except contracting migrations
 */
export async function checkUpgrade(url: string): Promise<string[]> {
  const { version, schema } = readRelease();
  const now = await withClient(url, readSchema);
  const violations = findUpgradeViolations(schema, now);
  return violations.length === 0
    ? []
    : [
        `Processes of ${version} still run while the new processes are started, and would fail after these changes. Put each change into a separate migration that begins with '-- contract: why', one version after the code no longer needs the old schema (docs/operations/upgrade.md):`,
        ...violations,
      ];
}

export async function writeRelease(url: string): Promise<void> {
  const release: RecordedRelease = await withClient(url, async (client) => ({
    version: product.version,
    migrations: (
      await client.query<{ name: string }>('select name from schema_migrations order by name')
    ).rows.map(({ name }) => name),
    schema: await readSchema(client),
  }));
  writeFileSync(FILE, `${JSON.stringify(release)}\n`);
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
