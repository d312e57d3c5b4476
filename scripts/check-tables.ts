// Checks the ownership of tables: an area writes only its own tables and, from lower layers, reads
// only the tables offered in server/tables.ts. The check sees only the SQL text: tables by name,
// and columns after their table's alias.
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import ts from 'typescript';
import { readSqlText } from './statement-text.ts';

const ROOT = join(import.meta.dirname, '..');
const PLATFORM = 'platform';

export interface TableRules {
  /** Areas from the lowest layer upward; the areas of one layer are in one list. */
  layers: readonly (readonly string[])[];
  /** The owning area of each table. */
  owners: ReadonlyMap<string, string>;
  /** Columns that areas of higher layers may read, by table. */
  readable: ReadonlyMap<string, readonly string[]>;
}

export function checkTables(files: readonly string[]): string[] {
  const rules = readTableRules();
  const createdByTable = createdTables();
  return [
    ...createdByTable
      .filter((table) => !rules.owners.has(table))
      .map(
        (table) =>
          `migrations: ${table} belongs to no area: add it to TABLES of its server/tables.ts.`,
      ),
    ...[...rules.owners]
      .filter(([table]) => !createdByTable.includes(table))
      .map(([table, area]) => `${area}/server/tables.ts: table ${table} does not exist.`),
    ...[...rules.readable.keys()]
      .filter((table) => !rules.owners.has(table))
      .map((table) => `${table} is in READABLE, but in no TABLES.`),
    ...files.flatMap((file) =>
      findTableViolations(file, readFileSync(join(ROOT, file), 'utf8'), rules),
    ),
  ];
}

function readTableRules(): TableRules {
  const load = createRequire(import.meta.url);
  const owners = new Map<string, string>();
  const readable = new Map<string, readonly string[]>();
  for (const file of globSync(['areas/*/server/tables.ts', 'platform/server/database/tables.ts'], {
    cwd: ROOT,
  })) {
    const { TABLES, READABLE = {} } = load(join(ROOT, file)) as {
      TABLES: readonly string[];
      READABLE?: Record<string, readonly string[]>;
    };
    for (const table of TABLES) owners.set(table, areaOf(file));
    for (const [table, columns] of Object.entries(READABLE)) readable.set(table, columns);
  }
  const layers = load(join(ROOT, 'areas/layers.json')) as string[][];
  return { layers, owners, readable };
}

/** Returns the tables that migrations create and do not drop, without partitions. */
function createdTables(): string[] {
  const sql = globSync('migrations/*.sql', { cwd: ROOT })
    .sort()
    .map((file) => readFileSync(join(ROOT, file), 'utf8').replace(/--[^\n]*/g, ''))
    .join('\n');
  const names = (pattern: RegExp) => [...sql.matchAll(pattern)].map(([, name]) => name ?? '');
  const droppedTables = new Set(names(/\bdrop table (?:if exists )?(\w+)/g));
  return names(/\bcreate (?:unlogged )?table (?:if not exists )?(\w+)(?!\w| partition of)/g).filter(
    (table) => !droppedTables.has(table),
  );
}

function areaOf(file: string): string {
  const [top = '', area = ''] = file.split(/[\\/]/);
  return top === 'areas' ? area : top;
}

type Use = { table: string; alias: string; isWrite: boolean };

/** Returns violations in a file, each as a sentence with the line. */
export function findTableViolations(file: string, text: string, rules: TableRules): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const fromArea = areaOf(file);
  const isDynamic = /\bsql\.table\(/.test(text);
  const violations = new Set<string>();
  const visit = (node: ts.Node): void => {
    const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
    const sql = readSqlText(node);
    const uses = sql === undefined ? [...usesOfBuilder(node), ...usesOfCopy(node)] : usesOf(sql);
    // The names that `sql.table` inserts into SQL are string literals somewhere in the file.
    if (isDynamic && ts.isStringLiteral(node))
      uses.push({ table: node.text, alias: '', isWrite: false });
    for (const use of uses) {
      for (const message of violationsOf(fromArea, use, sql ?? '', rules)) {
        violations.add(`${file}:${line} ${message}`);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...violations];
}

function violationsOf(fromArea: string, use: Use, sql: string, rules: TableRules): string[] {
  const { table, alias, isWrite } = use;
  const owner = rules.owners.get(table);
  if (owner === undefined || owner === fromArea) return [];
  if (isWrite) return [`${table} belongs to ${owner}: only ${owner} may write it.`];
  if (owner === PLATFORM || !isAbove(fromArea, owner, rules.layers)) {
    return [`${table} belongs to ${owner}: ${fromArea} may not read it.`];
  }
  const columns = rules.readable.get(table);
  if (!columns) return [`${table} is not READABLE in ${owner}/server/tables.ts.`];
  return columnsOf(alias || table, sql)
    .filter((column) => !columns.includes(column))
    .map((column) => `${table}.${column} is not READABLE in ${owner}/server/tables.ts.`);
}

function isAbove(fromArea: string, owner: string, layers: TableRules['layers']): boolean {
  const layerOf = (area: string) => layers.findIndex((areas) => areas.includes(area));
  return layerOf(fromArea) > layerOf(owner);
}

const KEYWORDS = new Set(
  `on using where join left right inner cross full lateral set order group limit for values select
  returning union having window as natural and or`.split(/\s+/),
);
const CTE = /\b(\w+)(?:\s*\([\w\s,]*\))?\s+as\s+(?:not\s+)?(?:materialized\s*)?\(/gi;

/** Returns the tables of a statement or a fragment, without its CTEs. */
function usesOf(statement: string): Use[] {
  const sql = statement
    .replace(/--[^\n]*/g, ' ')
    .replace(/'(?:[^']|'')*'/g, "''")
    .replace(/\bdistinct\s+from\b/gi, '<>')
    .replace(/\bfor\s+(no\s+key\s+)?update(\s+of\s+\w+)?/gi, ' ')
    .replace(/\bdo\s+update\s+set\b/gi, ' set');
  const cteNames = new Set([...sql.matchAll(CTE)].map(([, name]) => name));
  const uses: Use[] = [];
  const add = (clause: string, isWrite: boolean) => {
    const [, table = '', alias = ''] = /^\s*(\w+)(?:\s+(?:as\s+)?(\w+))?/i.exec(clause) ?? [];
    if (cteNames.has(table)) return;
    uses.push({ table, alias: KEYWORDS.has(alias.toLowerCase()) ? '' : alias, isWrite });
  };
  for (const [, clause = ''] of sql.matchAll(
    /\b(?:insert\s+into|update|delete\s+from|merge\s+into)\s+((?:only\s+)?\w+(?:\s+\w+)?)/gi,
  )) {
    add(clause.replace(/^only\s+/i, ''), true);
  }
  const reads = sql.replace(/\bdelete\s+from\b/gi, 'delete');
  // The list of FROM may have several tables: from groups g, fields f.
  for (const [, list = ''] of reads.matchAll(
    /\b(?:from|join|using)\s+(?:lateral\s+|only\s+)?(\w+(?:\s+(?:as\s+)?\w+)?(?:\s*,\s*\w+(?:\s+(?:as\s+)?\w+)?)*)(?!\s*\()/gi,
  )) {
    for (const name of list.split(',')) add(name, false);
  }
  return uses;
}

const WRITES = new Set(['insertInto', 'updateTable', 'deleteFrom', 'mergeInto']);
const READS = /^(selectFrom|from|using|(inner|left|right|full|cross)Join(Lateral)?)$/;

/** `accountTable('groups', 'id')` is treated as a write, regardless of the functions used. */
export const isAccountTable = (node: ts.Node): node is ts.CallExpression =>
  ts.isCallExpression(node) &&
  ts.isIdentifier(node.expression) &&
  node.expression.text === 'accountTable';

/**
 * Returns the tables in a use of the query builder, such as `selectFrom('groups as g')`. Columns in
 * such a use are not checked.
 */
function usesOfBuilder(node: ts.Node): Use[] {
  if (isAccountTable(node)) {
    const [table] = node.arguments;
    if (!table || !ts.isStringLiteralLike(table)) return [];
    return [{ table: table.text, alias: '', isWrite: true }];
  }
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return [];
  const method = node.expression.name.text;
  const isWrite = WRITES.has(method);
  const [first] = node.arguments;
  if (!first || !(isWrite || READS.test(method))) return [];
  const elements = ts.isArrayLiteralExpression(first) ? first.elements : [first];
  return elements.flatMap((expression) => {
    const [table = ''] = ts.isStringLiteralLike(expression) ? expression.text.split(' ') : [];
    return table === '' ? [] : [{ table, alias: '', isWrite }];
  });
}

/** Returns the table of `copy groups (id) from stdin`. */
function usesOfCopy(node: ts.Node): Use[] {
  const text = ts.isStringLiteralLike(node) || ts.isTemplateHead(node) ? node.text : '';
  const [, table] = /^\s*copy\s+(\w+)\s*(?:\(|from\b)/i.exec(text) ?? [];
  return table === undefined ? [] : [{ table, alias: '', isWrite: true }];
}

/** Returns the columns that follow this alias, as in `g.title`. */
function columnsOf(name: string, sql: string): string[] {
  const columnMatches = sql.matchAll(new RegExp(`(?<![\\w.])${name}\\.(\\w+)(?!\\s*\\()`, 'g'));
  return [...new Set([...columnMatches].map(([, column]) => column ?? ''))];
}
