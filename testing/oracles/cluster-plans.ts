// Checks the plans of statements on a cluster: a statement about one account must run as one task
// on the account's node. A statement planned around an intermediate result, or as several tasks,
// may need any node and fails for all accounts while one node is down.
import pg from 'pg';
import type { Statement } from '../setup/database.ts';

const EXPLAINED = /^[\s(]*(select|insert|update|delete|merge|with)\b/i;

/** Statements about the nodes themselves, which are not checked. */
const OF_NODES = /\bpg_dist_|\bcitus_/;
const GLOBAL_WRITE =
  /^(?:(?:insert into|update|delete from) "?(\w+)|select .* from "?(\w+).* for update$)/;

type Exception = { begins: string };
/** A global table that is written only while all nodes are reachable. */
export type GlobalWrite = { table: string; reason: string };

const normalizeSql = (sql: string) => sql.replace(/\s+/g, ' ').trim();

/**
 * Explains and executes the statements on the coordinator and reports statements that involve more
 * than one node.
 */
export async function findClusterViolations(
  url: string,
  statements: readonly Statement[],
  exceptions: readonly Exception[],
  globalWrites: readonly GlobalWrite[],
): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const violations: string[] = [];
  try {
    for (const { sql, parameters, isNarrowed = false } of statements) {
      const text = normalizeSql(sql);
      if (!EXPLAINED.test(sql) || OF_NODES.test(sql)) continue;
      const isException =
        !isNarrowed &&
        exceptions.some(({ begins: prefix }) => text.startsWith(normalizeSql(prefix)));
      if (isException || writesGlobal(text, globalWrites)) continue;
      const problem =
        (await explain(client, sql, parameters)) ?? (await execute(client, sql, parameters));
      if (problem) violations.push(`${problem}\n    ${text.slice(0, 600)}`);
    }
  } finally {
    await client.end();
  }
  return violations;
}

/** Returns whether the statement writes a global table or locks rows of one for a write. */
const writesGlobal = (text: string, globalWrites: readonly GlobalWrite[]): boolean => {
  const [, written, locked] = GLOBAL_WRITE.exec(text) ?? [];
  return globalWrites.some(({ table }) => table === (written ?? locked));
};

/**
 * The code `undefined_table`. Statements that fail with it read a temporary table; the shadow check
 * explains them.
 */
const UNDEFINED_TABLE = '42P01';
/**
 * The error of EXPLAIN for an INSERT … SELECT with parameters, which Citus plans only on execution.
 * Such a statement is explained with literals in place of its parameters.
 */
const UNPLANNED = 'could not create distributed plan';

async function explain(
  client: pg.Client,
  sql: string,
  parameters: readonly unknown[],
): Promise<string | undefined> {
  try {
    const lines = await planOf(client, sql, [...parameters]).catch((error: unknown) => {
      if (!(error as Error).message.includes(UNPLANNED)) throw error;
      return planOf(client, withLiterals(sql, parameters), []);
    });
    return findPlanProblem(lines);
  } catch (error) {
    const { code, message } = error as pg.DatabaseError;
    return code === UNDEFINED_TABLE ? undefined : `Cannot be explained: ${message}.`;
  }
}

type Notice = { message?: string | undefined; detail?: string | undefined };

const LOCK_OF_GLOBAL = 'lock_shard_resources';
const ON_SERVER = /^on server .*@(\S+) /;

/** Returns the reason why the execution needs more than one node, or undefined if it does not. */
async function execute(
  client: pg.Client,
  sql: string,
  parameters: readonly unknown[],
): Promise<string | undefined> {
  const nodes = new Set<string>();
  let isLocked = false;
  const addNode = ({ message = '', detail = '' }: Notice) => {
    const node = ON_SERVER.exec(detail)?.[1];
    if (node) nodes.add(node);
    isLocked ||= message.includes(LOCK_OF_GLOBAL);
  };
  await client.query(`begin; set local citus.log_remote_commands = on;
    set local client_min_messages = notice`);
  client.on('notice', addNode);
  // The statement may violate a constraint, because the rows of its test do not exist here.
  await client.query(sql, [...parameters]).catch(() => undefined);
  client.off('notice', addNode);
  await client.query('rollback');
  if (isLocked) return 'Locks a row of a global table, which needs the first node.';
  return nodes.size > 1 ? `Executed on ${nodes.size} nodes.` : undefined;
}

async function planOf(client: pg.Client, sql: string, parameters: unknown[]): Promise<string[]> {
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(
    `explain (costs off) ${sql}`,
    parameters,
  );
  return rows.map((row) => row['QUERY PLAN']);
}

const withLiterals = (sql: string, parameters: readonly unknown[]) =>
  sql.replace(/\$(\d+)/g, (_, number: string) => {
    const value = parameters[Number(number) - 1] ?? null;
    return value === null ? 'null' : pg.escapeLiteral(textOf(value));
  });

function textOf(value: unknown): string {
  if (Array.isArray(value)) {
    const items = value.map((item) => {
      if (item === null) return 'null';
      return Array.isArray(item) ? textOf(item) : JSON.stringify(textOf(item));
    });
    return `{${items.join(',')}}`;
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Returns the reason why the plan depends on more than one node, or undefined if it does not. */
export function findPlanProblem(lines: readonly string[]): string | undefined {
  const tasks = lines.flatMap((line) => Number(/Task Count: (\d+)/.exec(line)?.[1] ?? 0));
  if (insertsIntermediate(lines)) return 'Planned around an intermediate result.';
  const maxTasks = Math.max(0, ...tasks);
  return maxTasks > 1 ? `Planned as ${maxTasks} tasks.` : undefined;
}

const indentOf = (line: string) => line.length - line.trimStart().length;

/**
 * Returns the lines below the given one, up to the next line with the same or a smaller
 * indentation.
 */
function linesBelow(lines: readonly string[], index: number): string[] {
  const below = lines.slice(index + 1);
  const end = below.findIndex((otherLine) => indentOf(otherLine) <= indentOf(lines[index] ?? ''));
  return end < 0 ? below : below.slice(0, end);
}

const withoutTasks = (lines: readonly string[]): string[] => {
  const task = lines.findIndex((line) => /->\s+Task$/.test(line));
  if (task < 0) return [...lines];
  const remainingLines = lines.slice(task + 1 + linesBelow(lines, task).length);
  return [...lines.slice(0, task), ...withoutTasks(remainingLines)];
};

/**
 * Returns whether a subplan inserts rows that another part of the statement selected, and reads
 * them outside a task on the account's node. The coordinator sends such rows to every node, as
 * `citus.log_intermediate_results` shows. Rows that are only read, or are read within such a task,
 * go to no additional node.
 */
const insertsIntermediate = (lines: readonly string[]): boolean =>
  lines.some((line, index) => {
    if (!line.includes('Distributed Subplan')) return false;
    const subplan = linesBelow(lines, index);
    return (
      subplan.some((lineText) => lineText.includes('Citus INSERT ... SELECT')) &&
      withoutTasks(subplan).some((lineText) => lineText.includes('read_intermediate_result'))
    );
  });
