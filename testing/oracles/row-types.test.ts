// The check reports planted differences between declared rows and the schema and accepts correct
// rows.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../setup/database.ts';
import { castShadow, findShadowViolations } from './shadow.ts';
import { type DeclaredRow, listRowTypes } from './row-types.ts';

const url = await createTestDatabase();

const OF_ACCOUNT = 'from subscribers s where s.account_id = $1';
const EVENTS = 'left join events e on e.account_id = s.account_id and e.subscriber_id = s.id';

const FITTING = [
  ['{ id: number; email: string | null }', `select id, email ${OF_ACCOUNT}`],
  ['{ created_at: Date }', `select s.created_at ${OF_ACCOUNT} limit 1`],
  ['{ email: string }', `select email ${OF_ACCOUNT} and email is not null`],
  ['{ kinds: number[] }', `select array_agg(id) as kinds ${OF_ACCOUNT}`],
  ['{ facts: { title: string }[] }', `select json_agg(s) as facts ${OF_ACCOUNT}`],
  ["{ state: 'a' | 'b' }", `select 'a' as state ${OF_ACCOUNT}`],
  ['{ id: number; title?: string }', `select id ${OF_ACCOUNT}`],
  ['{ at: Date | null }', `select e.at from subscribers s ${EVENTS} where s.account_id = $1`],
  ['Record<string, number>', `select id ${OF_ACCOUNT}`],
];

const WRONG_ROWS: [string, string, string][] = [
  ['{ name: string }', `select id ${OF_ACCOUNT}`, 'name, which the statement does not return.'],
  ['{ id: string }', `select id ${OF_ACCOUNT}`, 'id as string, which is int8.'],
  ['{ created_at: string }', `select created_at ${OF_ACCOUNT}`, 'created_at as string, which is'],
  ['{ id: number[] }', `select id ${OF_ACCOUNT}`, 'id as number[], which is int8.'],
  ['{ email: string }', `select email ${OF_ACCOUNT}`, 'email without null, which may be null.'],
  [
    '{ at: Date }',
    `select e.at from subscribers s ${EVENTS} where s.account_id = $1`,
    'at without null, which may be null.',
  ],
];

/** One template per line in one file, so that the compiler reads its libraries only once. */
const LINES = [
  'declare function sql<Row>(texts: TemplateStringsArray, ...values: unknown[]): Row;',
  ...[...FITTING, ...WRONG_ROWS].map(
    ([type, statement = '']) => `sql<${type}>\`${statement.replace('$1', '${7}')}\``,
  ),
  'sql<{ title: string }>`select title from groups where account_id = ${7}`',
  "sql<{ id: number }>`select ${'id'} from groups where account_id = ${7}`",
  "sql<{ nothing: number }>`${'select'}`",
];

let declaredRows: DeclaredRow[] = [];

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sendloom-rows-'));
  const file = join(folder, 'groups.sql.ts');
  writeFileSync(file, LINES.join(';\n'));
  declaredRows = listRowTypes([file]);
  rmSync(folder, { recursive: true });
  await castShadow(url);
});

/** Returns the violations of the template in this line, executed with one parameter. */
async function violationsOf(line: number, sql: string): Promise<string> {
  const rows = declaredRows.filter(({ location }) => location.endsWith(`:${line}`));
  return (await findShadowViolations(url, [{ sql, parameters: [7] }], [], rows)).join();
}

test.each(FITTING.map(([type, statement], position) => [type, statement, position + 2] as const))(
  'the row %s is accepted for %s',
  async (_, statement = '', line) => {
    expect(await violationsOf(line, statement)).toBe('');
  },
);

test.each(
  WRONG_ROWS.map((example, position) => [...example, FITTING.length + position + 2] as const),
)('the row %s is reported for %s', async (_, statement, message, line) => {
  expect(await violationsOf(line, statement)).toContain(`declares ${message}`);
});

test('a statement is compared with the row of the matching template', async () => {
  const sql = 'select id from groups where account_id = $1';
  const rows = declaredRows.slice(-3);
  expect(rows).toHaveLength(3);
  expect(await findShadowViolations(url, [{ sql, parameters: [7] }], [], rows)).toEqual([]);
});
