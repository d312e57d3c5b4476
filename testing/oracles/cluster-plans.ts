// The plans of account statements on a cluster: a statement of one account must run as one task on
// the account's node. A statement planned around an intermediate result, or as several tasks, may
// need any node, and fails for all accounts while one node is down.
import pg from 'pg';
import type { Statement } from '../setup/database.ts';

const EXPLAINED = /^[\s(]*(select|insert|update|delete|merge|with)\b/i;

type Exception = { begins: string };

const plain = (sql: string) => sql.replace(/\s+/g, ' ').trim();

/** Explains the statements on the coordinator; reports those in which other nodes take part. */
export async function clusterBreaches(
  url: string,
  statements: readonly Statement[],
  exceptions: readonly Exception[],
): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const breaches: string[] = [];
  try {
    for (const { sql, parameters } of statements) {
      const text = plain(sql);
      if (!EXPLAINED.test(sql)) continue;
      if (exceptions.some(({ begins: prefix }) => text.startsWith(plain(prefix)))) continue;
      const lines = await client
        .query<{ 'QUERY PLAN': string }>(`explain (costs off) ${sql}`, parameters)
        .then(
          ({ rows }) => rows.map((row) => row['QUERY PLAN']),
          // Statements over temporary tables, which the shadow check explains.
          () => [],
        );
      const problem = planProblem(lines);
      if (problem) breaches.push(`${problem}\n    ${text.slice(0, 600)}`);
    }
  } finally {
    await client.end();
  }
  return breaches;
}

/** Reason why the plan depends on more than one node; undefined if it does not. */
export function planProblem(lines: readonly string[]): string | undefined {
  const tasks = lines.flatMap((line) => Number(/Task Count: (\d+)/.exec(line)?.[1] ?? 0));
  if (lines.some((line) => line.includes('Distributed Subplan')))
    return 'Planned around an intermediate result.';
  const most = Math.max(0, ...tasks);
  return most > 1 ? `Planned as ${most} tasks.` : undefined;
}
