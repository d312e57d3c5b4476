// Checks that SQL is only in the files meant for it, that areas own the tables they use, and that
// statements and migrations follow those rules for clusters that can be checked in their text. A
// cluster would refuse a statement that breaks a rule, or execute it wrongly without an error. The
// shadow check covers the other rules.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { splitStatements } from '#platform/server/migrations/sql-statements.ts';
import { checkTables, isAccountTable } from './check-tables.ts';
import { isSqlTag, readSqlText, readTemplateText } from './statement-text.ts';

const ROOT = join(import.meta.dirname, '..');
const FILES = ['areas/*/server/**/*.ts', 'platform/server/**/*.ts', 'providers/**/*.ts'];
/**
 * Files of the database itself (connections, migrations, snapshots), which read no data for a
 * single account.
 */
const DATABASE_FILES =
  /^platform\/server\/(database\/(database|prepared|embedded-postgres)|migrations\/[\w-]+(\.sql)?|backup\/snapshot[\w-]*)\.ts$/;
/** Files that may contain SQL. Segments compile conditions to SQL throughout. */
const HOMES = [/\.sql\.ts$/, /^areas\/segments\/server\//, DATABASE_FILES];
/** The coordinator's own tables, which are not distributed. */
const LOCAL = new Set(
  (JSON.parse(readFileSync(join(ROOT, 'migrations/tables.json'), 'utf8')) as { local: string[] })
    .local,
);
const QUERIES = new Set(['selectFrom', 'insertInto', 'updateTable', 'deleteFrom', 'mergeInto']);

export function checkStatements(): string[] {
  const files = FILES.flatMap((pattern) => globSync(pattern, { cwd: ROOT })).filter(
    (file) => !/\.test\.ts$/.test(file),
  );
  const code = files.flatMap((file) =>
    findStatementViolations(file, readFileSync(join(ROOT, file), 'utf8')),
  );
  const migrations = globSync('migrations/*.sql', { cwd: ROOT });
  const schema = migrations.flatMap((file) =>
    findMigrationViolations(file, readFileSync(join(ROOT, file), 'utf8')),
  );
  // A snapshot reads all tables, so table ownership does not apply to it.
  const tables = checkTables(
    files.filter((file) => !/^platform\/server\/backup\/snapshot/.test(file)),
  );
  return [...code, ...schema, ...tables];
}

/** Returns violations in a file, each as a sentence with the line. */
export function findStatementViolations(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const isHome = HOMES.some((home) => home.test(file));
  const violations: string[] = [];
  const visit = (node: ts.Node): void => {
    const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
    const report = (message: string) => violations.push(`${file}:${line} ${message}`);
    if (!isHome && isQuery(node)) report('SQL belongs in *.sql.ts files only.');
    // Neither this check nor the check of tables recognizes a name in a variable, or a renamed
    // import.
    if (isAccountTable(node) && !node.arguments.every((name) => ts.isStringLiteral(name)))
      report('accountTable takes the names of its table and columns as literals.');
    if (ts.isImportSpecifier(node) && node.propertyName?.text === 'accountTable')
      report('accountTable is imported by its own name.');
    if (ts.isCallExpression(node) && calledMethod(node) === 'skipLocked') {
      const enclosing = statementAround(node).getText(source);
      if (
        /\.(updateTable|deleteFrom|insertInto)\(/.test(enclosing) &&
        !/materialized/.test(enclosing)
      ) {
        report('A lease locks in a materialized CTE (rule 2).');
      }
    }
    if (ts.isCallExpression(node) && selectsWithinInsert(node, source)) report(NO_SUBQUERY);
    const sql = DATABASE_FILES.test(file) ? undefined : readSqlText(node);
    if (sql !== undefined)
      for (const message of findTextViolations(sql, isExecuted(node))) report(message);
    if (sql !== undefined && skipsRows(sql) && readsAffectedRows(node, source)) {
      report(
        'On a cluster the count includes rows skipped by ON CONFLICT DO NOTHING: use RETURNING (rule 11).',
      );
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return violations;
}

function isQuery(node: ts.Node): boolean {
  if (isAccountTable(node)) return true;
  if (ts.isTaggedTemplateExpression(node)) return isSqlTag(node.tag);
  if (!ts.isCallExpression(node)) return false;
  const method = calledMethod(node) ?? '';
  if (QUERIES.has(method)) return true;
  const receiver = ts.isPropertyAccessExpression(node.expression)
    ? node.expression.expression
    : undefined;
  if (receiver && isSqlTag(receiver)) return true;
  const [first] = node.arguments;
  return method === 'query' && first !== undefined && isStatement(first);
}

/**
 * Returns whether the string reads or writes rows. LISTEN and similar commands may be in the file
 * of their connection.
 */
function isStatement(node: ts.Node): boolean {
  const text = ts.isStringLiteral(node)
    ? node.text
    : ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node)
      ? readTemplateText(node)
      : '';
  return /^\s*(select|insert|update|delete|with)\s/i.test(text);
}

function calledMethod(node: ts.CallExpression): string | undefined {
  return ts.isPropertyAccessExpression(node.expression) ? node.expression.name.text : undefined;
}

/** Returns the innermost statement that contains this node. */
function statementAround(node: ts.Node): ts.Node {
  let enclosing = node;
  while (!ts.isStatement(enclosing) && enclosing.parent && !ts.isBlock(enclosing.parent)) {
    enclosing = enclosing.parent;
  }
  return enclosing;
}

const CLOCK =
  /\b(now|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday)\s*\(|\bcurrent_(timestamp|date|time)\b|\blocaltime(stamp)?\b/i;
const VOLATILE = /\b(random|gen_random_uuid|uuidv7|nextval|clock_timestamp)\s*\(/i;
const SIDE_EFFECT = /\b(pg_notify|pg_(try_)?advisory\w*|add_job)\s*\(/i;
const MERGING = new Set([
  'coalesce',
  'greatest',
  'least',
  'nullif',
  'set',
  'values',
  'and',
  'or',
  'in',
]);

/**
 * Checks one statement's text. The numbers refer to the statement rules of
 * docs/operations/cluster.md.
 */
// oxlint-disable-next-line eslint/max-lines-per-function -- One flat table of rules.
export function findTextViolations(statement: string, isExecuted = true): string[] {
  const sql = statement.replace(/--[^\n]*/g, ' ').replace(/'(?:[^']|'')*'/g, "''");
  const main = withoutTableExpressions(sql);
  const isWrite = /^\s*(insert|update|delete|merge)\b/i.test(main);
  const rules: [boolean, string][] = [
    [CLOCK.test(sql), 'The time is a parameter (clock.now()), never now().'],
    [
      /account_id\s*::|account_id\s*=\s*\(\s*select/i.test(sql),
      'Compare account_id with a parameter, without a cast or a subquery (rule 1).',
    ],
    [
      /\bin\s*\(\s*select\b(?:(?!\bas materialized\b)[^;])*?\bfor\s+(no key\s+)?update\b/i.test(
        sql,
      ),
      'Never IN (SELECT … FOR UPDATE): it locks more rows than its limit (rule 2).',
    ],
    [
      /\bskip\s+locked\b/i.test(sql) &&
        /\b(update\s+\w+\s+set|delete\s+from|insert\s+into)\b/i.test(sql) &&
        !/\bas\s+materialized\s*\(/i.test(sql),
      'A lease locks in a materialized CTE (rule 2).',
    ],
    [
      /^\s*with\b/i.test(sql) &&
        /^\s*insert\b/i.test(main) &&
        locksRows(sql) &&
        readsBesides(main, cteNamesOf(sql)),
      'An INSERT that locks rows and reads more than its CTEs is INSERT INTO t (…) WITH … SELECT (rule 12).',
    ],
    [isWrite && VOLATILE.test(main), 'No volatile function in a write (rule 5).'],
    [
      isWrite && (stableOverColumn(main) || buildsOfColumn(main)),
      'No stable function over a column in a write (rule 5).',
    ],
    [selectsWithinValues(main), NO_SUBQUERY],
    [
      hasSubqueryOverParameters(main),
      'An INSERT … SELECT that reads no table has no correlated subquery: use NOT IN (rule 14).',
    ],
    [
      // A fragment is not checked because the statement that contains it may read a table.
      isExecuted && selectOverParameters(main) !== undefined && mergesByParameter(main),
      'An INSERT … SELECT that reads no table has no parameter in ON CONFLICT (rule 14).',
    ],
    [
      /^\s*insert\b[^;]*?\)\s*select\b[^;]*\breturning\b[^;]*\(\s*select\b/i.test(main),
      'No subquery in the RETURNING of INSERT … SELECT (rule 14).',
    ],
    [
      /\bhaving\b[^;]*\(\s*select\b/i.test(main) && !/\baccount_id\s*=\s*\$0/i.test(sql),
      'No subquery in HAVING across accounts: filter a SELECT in FROM (rule 15).',
    ],
    [
      /\bcase\s+(?!when\b|\s|\$0\s+else)/i.test(sql),
      'CASE WHEN x = y, not CASE x WHEN y: the latter is sent to nodes in a syntax that they reject (rule 16).',
    ],
    [
      mergesByFunction(main),
      'ON CONFLICT accepts only excluded.x, parameters and literals (rule 5).',
    ],
    [locksJoined(sql), 'FOR UPDATE of a join locks nothing on a cluster: lock first (rule 6).'],
    [
      SIDE_EFFECT.test(sql) && /\b(from|join)\s+(?![\w.]+\s*\()[a-z_]/i.test(sql),
      'pg_notify, advisory locks and add_job need statements of their own (rule 7).',
    ],
  ];
  return rules.filter(([broken]) => broken).map(([, message]) => message);
}

/** Returns the statement without CTE bodies, where volatile and stable functions are allowed. */
function withoutTableExpressions(sql: string): string {
  if (!/^\s*with\b/i.test(sql)) return sql;
  const outerSql = withoutBrackets(sql);
  // Slices the original text, so that the main statement keeps its bracketed text.
  const verb = /\b(insert\s+into|update|delete\s+from|select)\b/i.exec(
    outerSql.replace(/^\s*with\b/i, ''),
  );
  const verbIndex = verb ? sql.toLowerCase().lastIndexOf(verb[0].toLowerCase()) : 0;
  return sql.slice(Math.max(verbIndex, 0));
}

function stableOverColumn(main: string): boolean {
  return (
    /\b(?!\$)[a-z_]+(_at|_until|_on)\s*[+-]\s*(interval\b|\$0|make_interval)/i.test(main) ||
    /\bto_jsonb?\s*\(\s*[a-z_]/i.test(main) ||
    /\b[a-z_]+(_at|_until|_on)\s*::\s*(date|text)\b/i.test(main)
  );
}

const STABLE =
  /\b(jsonb?_build_(?:object|array)|to_jsonb?|row_to_json|concat|concat_ws|format|to_char|array_to_string|date_trunc)\s*\(/gi;
const NO_COLUMN =
  /''|::\s*[\w[\]]+|\$0|\b[a-z_]\w*\s*\(|\b(?:null|true|false|case|when|then|else|end|and|or|not|is|as)\b/gi;

/**
 * Returns whether an UPDATE applies one of the `STABLE` functions to a column. A cluster accepts
 * that only within COALESCE or CASE.
 */
function buildsOfColumn(main: string): boolean {
  if (!/^\s*update\b/i.test(main)) return false;
  return [...main.matchAll(STABLE)].some(({ 0: call, index }) => {
    const args = withinBrackets(main, index + call.length);
    const remaining = emptyBrackets(args, /\bcoalesce\s*\(/i).replace(/\bcase\b.*\bend\b/gis, ' ');
    return /[a-z_]\w*/i.test(remaining.replace(NO_COLUMN, ' '));
  });
}

/** Returns the text without what is inside the brackets that `opening` opens. */
function emptyBrackets(text: string, opening: RegExp): string {
  const match = opening.exec(text);
  if (!match) return text;
  const start = match.index + match[0].length;
  const end = start + withinBrackets(text, start).length;
  return text.slice(0, start) + emptyBrackets(text.slice(end), opening);
}

/** Returns the text from this position to the end of the brackets that opened before it. */
function withinBrackets(text: string, start: number): string {
  let depth = 1;
  for (let index = start; index < text.length; index++) {
    if (text[index] === '(') depth += 1;
    if (text[index] === ')') depth -= 1;
    if (depth === 0) return text.slice(start, index);
  }
  return text.slice(start);
}

const NO_SUBQUERY = 'No subquery within INSERT … VALUES: use INSERT … SELECT (rule 14).';
const intoLocal = (main: string) => LOCAL.has(/\binto\s+(\w+)/i.exec(main)?.[1] ?? '');

function selectsWithinValues(main: string): boolean {
  const head = /^\s*insert\s+into\b[^;]*?\bvalues\s*\(/i.exec(main)?.[0];
  if (head === undefined || /\bselect\b/i.test(head) || intoLocal(main)) return false;
  return /\(\s*select\b/i.test(main.slice(head.length - 1));
}

/** Returns whether a call of the query builder passes a subquery to VALUES or ON CONFLICT. */
function selectsWithinInsert(node: ts.CallExpression, source: ts.SourceFile): boolean {
  if (!['values', 'doUpdateSet', 'onConflict'].includes(calledMethod(node) ?? '')) return false;
  const table = /\binsertInto\(\s*'(\w+)/.exec(node.expression.getText(source))?.[1];
  if (table === undefined || LOCAL.has(table)) return false;
  return node.arguments.some((argument) =>
    /\bselectFrom\(|\(\s*select\b/.test(argument.getText(source)),
  );
}

/**
 * Returns whether ON CONFLICT uses a parameter. A column name may also be $0: `excluded.$0`, `$0 =
 * …`.
 */
const mergesByParameter = (main: string) =>
  /\bon\s+conflict\b[^;]*(?:\$0::|[<>=+(-]\s*\$0(?!\s*=|\.))/i.test(main);

/** Returns whether the tagged text is executed itself: sql`…`.execute(db). */
const isExecuted = (node: ts.Node) =>
  !ts.isTaggedTemplateExpression(node) || ts.isPropertyAccessExpression(node.parent);

/**
 * Returns the SELECT of an INSERT … SELECT, if it reads only functions, VALUES or nothing, so that
 * a cluster executes it on the coordinator; undefined otherwise.
 */
function selectOverParameters(main: string): string | undefined {
  const select = /^\s*insert\s+into\b[^(]*\([^)]*\)\s*(select\b.*)$/is.exec(main)?.[1];
  if (select === undefined || intoLocal(main)) return undefined;
  const sources = [...withoutBrackets(select).matchAll(/\b(?:from|join)\s+([\w.]*\s*\(?)/gi)];
  const isParametersOnly = sources.every(([, name = '']) => name.endsWith('('));
  return isParametersOnly ? select : undefined;
}

/** Returns whether an INSERT … SELECT that reads no table has a correlated subquery. */
function hasSubqueryOverParameters(main: string): boolean {
  const select = selectOverParameters(main);
  if (select === undefined) return false;
  const outerSql = withoutBrackets(select);
  const aliases = [...outerSql.matchAll(/\)\s*(?:as\s+)?([a-z_]\w*)/gi)].map(([, name]) => name);
  // An item of FROM may refer to preceding items.
  const selectText = emptyBrackets(select, /\blateral\s*\(/i);
  return [...selectText.matchAll(/\(\s*select\b/gi)].some(({ 0: match, index }) => {
    const subquery = withinBrackets(selectText, index + match.length);
    return aliases.some((name) => new RegExp(`\\b${name}\\.`).test(subquery));
  });
}

/** Returns the text outside of brackets; the brackets themselves remain. */
function withoutBrackets(sql: string): string {
  let depth = 0;
  let result = '';
  for (const char of sql) {
    if (char === ')') depth -= 1;
    if (depth === 0) result += char;
    if (char === '(') depth += 1;
  }
  return result;
}

function mergesByFunction(main: string): boolean {
  const merge = /\bon\s+conflict\b[^;]*?\bdo\s+update\s+set\b([^;]*)/i.exec(main)?.[1];
  if (merge === undefined) return false;
  const setClause = merge.split(/\breturning\b/i)[0] ?? '';
  const functionNames = [...setClause.matchAll(/\b([a-z_]\w*)\s*\(/gi)].map(([, name]) =>
    name?.toLowerCase(),
  );
  return functionNames.some((name) => name !== undefined && !MERGING.has(name));
}

/**
 * Returns whether a SELECT locks a local table (one without an account) and joins another table.
 * Joining a CTE is allowed.
 */
function locksJoined(sql: string): boolean {
  const cteNames = cteNamesOf(sql);
  return [...sql.matchAll(/\bfor\s+(no key\s+)?update\b/gi)].some(({ index }) => {
    const precedingSql = sql
      .slice(0, index)
      .replace(/\bextract\s*\(\s*\w+\s+from\b/gi, 'extract(')
      .replace(/\bdistinct\s+from\b/gi, '<>');
    const select = precedingSql.slice(precedingSql.toLowerCase().lastIndexOf('select'));
    const tables = [...select.matchAll(/\b(?:from|join)\s+([\w.]+)/gi)]
      .map(([, table]) => table ?? '')
      .filter((table) => !cteNames.has(table));
    return tables.length > 1 && tables.some((table) => LOCAL.has(table) || table.includes('.'));
  });
}

/** Returns the names of a statement's CTEs. */
function cteNamesOf(sql: string): Set<string> {
  const ctes = sql.matchAll(/\b(\w+)\s+as\s+(?:not\s+)?(?:materialized\s*)?\(/gi);
  return new Set([...ctes].map(([, name = '']) => name));
}

/** Returns whether the statement reads a table besides its CTEs. */
function readsBesides(main: string, cteNames: ReadonlySet<string>): boolean {
  return [...main.matchAll(/\b(?:from|join)\s+([a-z_]\w*)(?!\s*\()/gi)].some(
    ([, table = '']) => !cteNames.has(table),
  );
}

const locksRows = (sql: string) => /\bfor\s+(no key\s+)?(update|key share|share)\b/i.test(sql);

/** Returns whether an INSERT … SELECT skips existing rows and does not return the written ones. */
function skipsRows(sql: string): boolean {
  return (
    /\binsert\s+into\b[^;]*\bselect\b[^;]*\bon\s+conflict\b[^;]*\bdo\s+nothing\b/i.test(sql) &&
    !/\breturning\b/i.test(sql)
  );
}

/** Returns whether the function that contains the statement reads the number of affected rows. */
function readsAffectedRows(node: ts.Node, source: ts.SourceFile): boolean {
  let enclosing = node;
  while (!ts.isFunctionLike(enclosing) && !ts.isSourceFile(enclosing) && enclosing.parent)
    enclosing = enclosing.parent;
  return /\bnumAffectedRows\b/.test(enclosing.getText(source));
}

/** Checks a migration: no default that reads the clock, no trigger, and the rules of a cluster. */
export function findMigrationViolations(file: string, text: string): string[] {
  return [...lineViolations(file, text), ...clusterRuleViolations(file, text)];
}

const KEY_OR_CHECK = /\b(check\s*\(|references\b|unique\b|primary\s+key\b|foreign\s+key\b)/i;

/** Checks cluster rules about whole statements of a migration. */
function clusterRuleViolations(file: string, text: string): string[] {
  return splitStatements(text).flatMap((statement) => {
    const excerpt = statement.replace(/\s+/g, ' ').slice(0, 60);
    const describe = (message: string) => `${file}: ${excerpt}… ${message}`;
    const isAlter = /^alter\s+table\b/i.test(statement);
    const adds = isAlter ? statement.split(/,(?=\s*(?:add|alter|drop)\b)/i) : [];
    const hasKey = adds.filter((add) => /\badd\b/i.test(add) && KEY_OR_CHECK.test(add));
    const isColumn = hasKey.some((statement) => /\badd\s+column\b/i.test(statement));
    return [
      ...(isColumn
        ? [describe('A new column has no key and no check: add these in a later statement.')]
        : []),
      ...(hasKey.length > 0 && !isColumn && adds.length > 1
        ? [describe('A key or check is added by a statement of its own.')]
        : []),
      ...(/^(insert|update|delete|with)\b/i.test(statement) && stableOverColumn(statement)
        ? [describe('No stable function over a column in a write (rule 5).')]
        : []),
    ];
  });
}

function lineViolations(file: string, text: string): string[] {
  return text.split('\n').flatMap((line, index) => {
    const sql = line.replace(/--.*$/, '');
    const describe = (message: string) => `${file}:${index + 1} ${message}`;
    return [
      ...(CLOCK.test(sql) ? [describe('The time is a parameter (clock.now()), never now().')] : []),
      ...(/\bcreate\s+(constraint\s+)?trigger\b/i.test(sql) ? [describe('No triggers.')] : []),
      ...(/\bon\s+(delete|update)\s+set\s+(null|default)\b/i.test(sql)
        ? [describe('Foreign keys do nothing or cascade.')]
        : []),
    ];
  });
}
