// The shadow check: the same tables partitioned by account into four. A statement that touches
// several partitions is not bound to one account: it would query every node of a cluster, and might
// return another account's rows. Every statement recorded during the tests is explained here.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { accountColumn, accountTables } from './catalogue.ts';
import type { Statement } from '../setup/database.ts';

const PARTITIONS = 4;
const EXPLAINED = /^[\s(]*(select|insert|update|delete|merge|with)\b/i;

/** A statement that may read all accounts, by its beginning, and the reason. */
interface Exception {
  begins: string;
  reason: string;
}

/** Converts every account table of a migrated database into one partitioned by account. */
export async function castShadow(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const table of await accountTables(client)) {
      await client.query(`alter table ${table} rename to ${table}_whole`);
      await client.query(
        `create table ${table} (like ${table}_whole including all) partition by hash (${accountColumn(table)})`,
      );
      await restoreConstraintNames(client, table);
      for (let part = 0; part < PARTITIONS; part += 1) {
        await client.query(
          `create table ${table}_part${part} partition of ${table}
          for values with (modulus ${PARTITIONS}, remainder ${part})`,
        );
      }
    }
  } finally {
    await client.end();
  }
}

/**
 * A copied table gets new constraint names; `on conflict on constraint` needs the original ones.
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
 * Explains statements on a shadow database; reports those that touch several partitions or fail.
 */
export async function shadowBreaches(
  url: string,
  statements: Statement[],
  exceptions: Exception[] = [],
): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const breaches: string[] = [];
  const used = new Set<Exception>();
  try {
    for (const { sql, parameters } of statements) {
      if (!EXPLAINED.test(sql)) continue;
      const problem = await explain(client, sql, parameters);
      if (problem === undefined) continue;
      const exception = exceptions.find(({ begins: prefix }) =>
        plain(sql).startsWith(plain(prefix)),
      );
      if (exception) used.add(exception);
      else breaches.push(`${problem}\n    ${plain(sql).slice(0, 600)}`);
    }
  } finally {
    await client.end();
  }
  const idle = exceptions.filter((exception) => !used.has(exception));
  return [
    ...breaches,
    ...idle.map(({ begins: prefix }) => `No statement needs the exception: ${prefix}`),
  ];
}

/** The distinct statements recorded during a test run. */
export function readStatements(folder: string): Statement[] {
  const all = new Map<string, Statement>();
  for (const file of existsSync(folder) ? readdirSync(folder) : []) {
    for (const line of readFileSync(join(folder, file), 'utf8').split('\n')) {
      if (line === '') continue;
      const statement = JSON.parse(line) as Statement;
      if (!all.has(statement.sql)) all.set(statement.sql, statement);
    }
  }
  return [...all.values()];
}

interface Plan {
  'Relation Name'?: string;
  Plans?: Plan[];
}

/**
 * Undefined where the statement is valid. Parameters are bound, so that the plan prunes partitions
 * by them.
 */
async function explain(
  client: pg.Client,
  sql: string,
  parameters: unknown[],
): Promise<string | undefined> {
  try {
    const { rows } = await client.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
      `explain (costs off, format json) ${sql}`,
      parameters,
    );
    const parts = new Map<string, Set<string>>();
    for (const { Plan } of rows[0]?.['QUERY PLAN'] ?? []) collect(Plan, parts);
    const wide = [...parts].filter(([, partitions]) => partitions.size > 1).map(([table]) => table);
    if (wide.length > 0) return `Not bound to one account: ${wide.join(', ')}.`;
    const together = new Set([...parts.values()].flatMap((partitions) => [...partitions]));
    return together.size > 1 ? 'Binds its tables to different accounts.' : undefined;
  } catch (error) {
    return `Cannot be explained: ${(error as Error).message}.`;
  }
}

function collect(plan: Plan, parts: Map<string, Set<string>>): void {
  const [, table, part] = /^(.*)_part(\d)$/.exec(plan['Relation Name'] ?? '') ?? [];
  if (table && part) parts.set(table, (parts.get(table) ?? new Set()).add(part));
  for (const inner of plan.Plans ?? []) collect(inner, parts);
}

function plain(sql: string): string {
  return sql.replace(/\s+/g, ' ').trim();
}
