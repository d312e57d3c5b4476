// Creates the databases of a test file (clones of the migrated template, or databases without
// tables), and records the product's statements for checks after the run.
import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { DefaultQueryCompiler, sql } from 'kysely';
import { inject, vi } from 'vitest';
import type { searchAccounts } from '#platform/server/database/across-accounts.sql.ts';
import {
  clusterNodes,
  copyOnCluster,
  createOnCluster,
  databaseUrlOn,
  dropOnCluster,
  runStatements,
} from './cluster.ts';
import { runAtEnd } from './at-the-end.ts';
import { TEMPLATE } from './global-setup.ts';

/** A recorded statement, with the parameters of its first use. */
export interface Statement {
  sql: string;
  parameters: unknown[];
  /**
   * True for the variant of a lookup across accounts that runs while a node is down: it searches
   * only the reachable accounts.
   */
  isNarrowed?: boolean;
}

/**
 * Creates a clone of the migrated template and returns its URL. The clone is dropped after the
 * file's last test. Also starts recording the product's statements.
 */
export async function createTestDatabase(): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const server = inject('databaseServer');
  await copyDatabase(server, name);
  await recordStatements();
  return databaseUrlOn(server, name);
}

/** Creates a database without tables, as in a new installation, and returns its URL. */
export async function createBareDatabase(): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const server = inject('databaseServer');
  const nodes = clusterNodes();
  if (nodes) await createOnCluster(nodes, name);
  else await runStatements(server, `CREATE DATABASE ${name} TEMPLATE template0`);
  dropAtTheEnd(nodes ?? [server], name);
  return databaseUrlOn(server, name);
}

async function copyDatabase(server: string, name: string): Promise<void> {
  const nodes = clusterNodes();
  if (nodes) await copyOnCluster(nodes, { from: TEMPLATE, to: name });
  else {
    const strategy = inject('copyStrategy');
    await runStatements(
      server,
      `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE} STRATEGY ${strategy}`,
    );
  }
  dropAtTheEnd(nodes ?? [server], name);
}

const dropAtTheEnd = (servers: readonly string[], name: string) =>
  runAtEnd(() => dropOnCluster(servers, name));

let isRecording = false;

/** IDs of the reachable accounts in narrowed lookups: one account. */
const REACHABLE_IDS = [1];

/**
 * Records the statements of the product, but not those of the tests. After the run, checks explain
 * the recorded statements (testing/oracles).
 */
async function recordStatements(): Promise<void> {
  if (isRecording) return;
  isRecording = true;
  const recordedTexts = new Set<string>();
  let isNarrowed = false;
  const folder = inject('statementFolder');
  const file = join(folder, `${process.pid}-${randomBytes(4).toString('hex')}.jsonl`);
  // The stack shows a statement's caller only while the statement is compiled: compilation is
  // synchronous, execution is not.
  const compile = DefaultQueryCompiler.prototype.compileQuery;
  // The process continues with other test files, so the original compiler is restored.
  runAtEnd(async () => {
    DefaultQueryCompiler.prototype.compileQuery = compile;
  });
  DefaultQueryCompiler.prototype.compileQuery = function (...query) {
    const { sql: text, parameters, ...compiled } = compile.apply(this, query);
    if (!recordedTexts.has(text) && !isCalledByTest()) {
      recordedTexts.add(text);
      const statement: Statement = {
        sql: text,
        parameters: isNarrowed ? parameters.map(withReachableIds) : [...parameters],
        isNarrowed,
      };
      appendFileSync(file, `${JSON.stringify(statement, asText)}\n`);
    }
    return { sql: text, parameters, ...compiled };
  };
  await narrowLookups((compileLookup) => {
    isNarrowed = true;
    compileLookup();
    isNarrowed = false;
  });
}

type Lookup = typeof searchAccounts;

/** Replaces lists of integers, such as account IDs, with the list of the one reachable account. */
const withReachableIds = (value: unknown) =>
  Array.isArray(value) && value.every(Number.isInteger) ? REACHABLE_IDS : value;

/** Compiles lookups across accounts once more, in the variant that runs while a node is down. */
async function narrowLookups(record: (compileLookup: () => unknown) => void): Promise<void> {
  const lookups = await import('#platform/server/database/across-accounts.sql.ts');
  const { acrossAccounts, searchAccounts } = lookups;
  const compileNarrowed = (...[db, query]: Parameters<Lookup>) =>
    record(() =>
      query((account) => sql<boolean>`${account} = any(${REACHABLE_IDS}::bigint[])`).compile(db),
    );
  vi.spyOn(lookups, 'acrossAccounts').mockImplementation((db, query) => {
    compileNarrowed(db, query);
    return acrossAccounts(db, query);
  });
  vi.spyOn(lookups, 'searchAccounts').mockImplementation((db, query) => {
    compileNarrowed(db, query);
    return searchAccounts(db, query);
  });
}

const ROOT = join(import.meta.dirname, '../..');
const PRODUCT = /^(areas|platform|providers|main)\//;
const TEST = /^(testing|scripts)\/|\.test\.tsx?/;

/** Returns true if the stack contains test code, but no product code. */
function isCalledByTest(): boolean {
  const paths = callers()
    .map((file) => file.split(`${ROOT}/`)[1] ?? '')
    .filter((path) => path !== '' && !path.startsWith('testing/setup/database.ts'));
  const isTest = paths.some((path) => TEST.test(path));
  return isTest && !paths.some((path) => PRODUCT.test(path) && !TEST.test(path));
}

/**
 * Returns the files on the call stack. This runs for each statement that is not yet recorded, so it
 * omits line numbers, which are the most expensive part.
 */
function callers(): string[] {
  const { stackTraceLimit, prepareStackTrace } = Error;
  Error.stackTraceLimit = 60;
  Error.prepareStackTrace = (_error, sites) => sites.map((site) => site.getFileName() ?? '');
  const files = new Error().stack as unknown as string[];
  Object.assign(Error, { stackTraceLimit, prepareStackTrace });
  return files;
}

function asText(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  // Buffer.toJSON has been applied already; PostgreSQL parses this form as bytea.
  if (isBuffer(value)) return `\\x${Buffer.from(value.data).toString('hex')}`;
  return value;
}

function isBuffer(value: unknown): value is { type: 'Buffer'; data: number[] } {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer';
}
