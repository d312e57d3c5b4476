// The shadow check explains every statement recorded during the tests on a database with account
// tables partitioned by account into four partitions. A statement that reads several partitions is
// not bound to one account: it would query every node of a cluster, and might return rows of
// another account.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { findAccountColumn, listAccountTables } from './catalog.ts';
import type { Statement } from '../setup/database.ts';
import { readCatalog, findRowViolations } from './row-violations.ts';
import type { DeclaredRow } from './row-types.ts';

const PARTITIONS = 4;
const EXPLAINED = /^[\s(]*(select|insert|update|delete|merge|with)\b/i;
const TEMPORARY = /^\s*create temp table\b/i;

/** A statement that may read all accounts, identified by its beginning, with the reason. */
interface Exception {
  begins: string;
  reason: string;
}

/** Converts every account table of a migrated database into a table partitioned by account. */
export async function castShadow(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const table of await listAccountTables(client)) {
      await client.query(`alter table ${table} rename to ${table}_whole`);
      await client.query(
        `create table ${table} (like ${table}_whole including all) partition by hash (${findAccountColumn(table)})`,
      );
      await restoreConstraintNames(client, table);
      for (let partNumber = 0; partNumber < PARTITIONS; partNumber += 1) {
        await client.query(
          `create table ${table}_part${partNumber} partition of ${table}
          for values with (modulus ${PARTITIONS}, remainder ${partNumber})`,
        );
      }
    }
  } finally {
    await client.end();
  }
}

/**
 * A copied table gets new constraint names, but `on conflict on constraint` needs the original
 * ones.
 */
async function restoreConstraintNames(client: pg.Client, table: string): Promise<void> {
  const { rows } = await client.query<{ old: string; copied: string }>(
    `select whole.conname as old, shadow.conname as copied
    from pg_constraint whole join pg_constraint shadow
      on shadow.conkey = whole.conkey and shadow.contype = whole.contype
    where whole.conrelid = '${table}_whole'::regclass and shadow.conrelid = '${table}'::regclass
      and whole.contype in ('p', 'u')`,
  );
  for (const { old, copied } of rows) {
    await client.query(`alter table ${table}_whole rename constraint "${old}" to "${old}_whole"`);
    await client.query(`alter table ${table} rename constraint "${copied}" to "${old}"`);
  }
}

/**
 * Explains statements on a shadow database. Reports statements that read several partitions, fail,
 * or return columns other than the declared row.
 */
export async function findShadowViolations(
  url: string,
  statements: Statement[],
  exceptions: Exception[] = [],
  declaredRows: readonly DeclaredRow[] = [],
): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const violations: string[] = [];
  const usedExceptions = new Set<Exception>();
  try {
    violations.push(...(await createTemporaryTables(client, statements)));
    const catalog = await readCatalog(client);
    for (const { sql, parameters, isNarrowed = false } of statements) {
      if (!EXPLAINED.test(sql)) continue;
      violations.push(...(await findRowViolations(client, sql, declaredRows, catalog)));
      const problem = await explain(client, sql, parameters);
      if (problem === undefined) continue;
      const exception =
        !isNarrowed &&
        exceptions.find(({ begins: prefix }) => normalizeSql(sql).startsWith(normalizeSql(prefix)));
      if (exception) usedExceptions.add(exception);
      else violations.push(`${problem}\n    ${normalizeSql(sql).slice(0, 600)}`);
    }
  } finally {
    await client.end();
  }
  const unusedExceptions = exceptions.filter((exception) => !usedExceptions.has(exception));
  return [
    ...violations,
    ...unusedExceptions.map(({ begins: prefix }) => `No statement needs the exception: ${prefix}`),
  ];
}

/**
 * Creates the temporary tables of the recorded statements, so that statements over them can be
 * explained, and returns the violations in the queries that fill them. A temporary table may read
 * another one, and the order of the files is arbitrary, so creation is repeated. If a table cannot
 * be created, the statements that use it are reported.
 */
async function createTemporaryTables(
  client: pg.Client,
  statements: Statement[],
): Promise<string[]> {
  const violations: string[] = [];
  let pending = statements.filter(({ sql }) => TEMPORARY.test(sql));
  for (let pendingBefore = pending.length + 1; pending.length < pendingBefore; ) {
    pendingBefore = pending.length;
    const failedStatements: Statement[] = [];
    for (const statement of pending) {
      const { parameters } = statement;
      const sql = statement.sql.replace(/\bon commit drop\b/i, '');
      const [, query] = /^\s*create temp table \w+\s+as\b(.*)$/is.exec(sql) ?? [];
      const problem = query && (await explain(client, query, parameters));
      const isCreated = await client.query(sql, parameters).then(
        () => true,
        () => false,
      );
      if (!isCreated) failedStatements.push(statement);
      else if (problem) violations.push(`${problem}\n    ${normalizeSql(sql).slice(0, 600)}`);
    }
    pending = failedStatements;
  }
  return violations;
}

/** Returns the distinct statements recorded during a test run. */
export function readStatements(folder: string): Statement[] {
  const statementsByText = new Map<string, Statement>();
  for (const file of existsSync(folder) ? readdirSync(folder) : []) {
    for (const line of readFileSync(join(folder, file), 'utf8').split('\n')) {
      if (line === '') continue;
      const statement = JSON.parse(line) as Statement;
      if (!statementsByText.has(statement.sql)) statementsByText.set(statement.sql, statement);
    }
  }
  return [...statementsByText.values()];
}

interface ShadowPlan {
  'Relation Name'?: string;
  Plans?: ShadowPlan[];
}

/**
 * Returns the violation of a statement, or undefined if it is valid. Parameters are bound, so that the
 * planner prunes partitions by them.
 */
async function explain(
  client: pg.Client,
  sql: string,
  parameters: unknown[],
): Promise<string | undefined> {
  try {
    const { rows } = await client.query<{ 'QUERY PLAN': { Plan: ShadowPlan }[] }>(
      `explain (costs off, format json) ${sql}`,
      parameters,
    );
    const partsByTable = new Map<string, Set<string>>();
    for (const { Plan: plan } of rows[0]?.['QUERY PLAN'] ?? []) collect(plan, partsByTable);
    const unboundTables = [...partsByTable]
      .filter(([, partitions]) => partitions.size > 1)
      .map(([table]) => table);
    if (unboundTables.length > 0) return `Not bound to one account: ${unboundTables.join(', ')}.`;
    const allPartitions = new Set(
      [...partsByTable.values()].flatMap((partitions) => [...partitions]),
    );
    return allPartitions.size > 1 ? 'Binds its tables to different accounts.' : undefined;
  } catch (error) {
    return `Cannot be explained: ${(error as Error).message}.`;
  }
}

function collect(plan: ShadowPlan, partsByTable: Map<string, Set<string>>): void {
  const [, table, part] = /^(.*)_part(\d)$/.exec(plan['Relation Name'] ?? '') ?? [];
  if (table && part) partsByTable.set(table, (partsByTable.get(table) ?? new Set()).add(part));
  for (const innerPlan of plan.Plans ?? []) collect(innerPlan, partsByTable);
}

function normalizeSql(sql: string): string {
  return sql.replace(/\s+/g, ' ').trim();
}
