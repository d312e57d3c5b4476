// Creates the databases of a test file: clones of the migrated template, or databases without
// tables.
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
  databaseAt,
  dropOnCluster,
  runStatements,
} from './cluster.ts';
import { atTheEnd } from './at-the-end.ts';
import { TEMPLATE } from './global-setup.ts';

/** A recorded statement, with the parameters of its first use. */
export interface Statement {
  sql: string;
  parameters: unknown[];
  /** A lookup across accounts as it runs while a node is down, for one reachable account. */
  isOfReachable?: boolean;
}

/** Creates the database and returns its URL. It is dropped after the file's last test. */
export async function testDatabase(): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const server = inject('databaseServer');
  await copyDatabase(server, name);
  await recordStatements();
  return databaseAt(server, name);
}

/** A database without tables, as in a new installation. */
export async function bareDatabase(): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const server = inject('databaseServer');
  const nodes = clusterNodes();
  if (nodes) await createOnCluster(nodes, name);
  else await runStatements(server, `CREATE DATABASE ${name} TEMPLATE template0`);
  dropAtTheEnd(nodes ?? [server], name);
  return databaseAt(server, name);
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
  atTheEnd(() => dropOnCluster(servers, name));

let isRecording = false;

/** The account that narrowed lookups are for. */
const REACHABLE = [1];

/**
 * Records the product's statements, but not the tests' own, so that the shadow check can explain
 * them after the run.
 */
async function recordStatements(): Promise<void> {
  if (isRecording) return;
  isRecording = true;
  const known = new Set<string>();
  let isOfReachable = false;
  const folder = inject('statementFolder');
  const file = join(folder, `${process.pid}-${randomBytes(4).toString('hex')}.jsonl`);
  // Statements are compiled synchronously, so only during compilation does the stack show the
  // caller.
  const compile = DefaultQueryCompiler.prototype.compileQuery;
  // The process continues with other test files, so the original compiler is restored.
  atTheEnd(async () => {
    DefaultQueryCompiler.prototype.compileQuery = compile;
  });
  DefaultQueryCompiler.prototype.compileQuery = function (...query) {
    const { sql: text, parameters, ...compiled } = compile.apply(this, query);
    if (!known.has(text) && !isCalledByTest()) {
      known.add(text);
      const statement: Statement = {
        sql: text,
        parameters: isOfReachable ? parameters.map(asOneAccount) : [...parameters],
        isOfReachable,
      };
      appendFileSync(file, `${JSON.stringify(statement, asText)}\n`);
    }
    return { sql: text, parameters, ...compiled };
  };
  await narrowLookups((compileLookup) => {
    isOfReachable = true;
    compileLookup();
    isOfReachable = false;
  });
}

type Lookup = typeof searchAccounts;

/** Lists of accounts get the one reachable account. */
const asOneAccount = (value: unknown) =>
  Array.isArray(value) && value.every(Number.isInteger) ? REACHABLE : value;

/** Also compiles each lookup across accounts as it runs while a node is down. */
async function narrowLookups(record: (compileLookup: () => unknown) => void): Promise<void> {
  const lookups = await import('#platform/server/database/across-accounts.sql.ts');
  const { acrossAccounts, searchAccounts } = lookups;
  const compileNarrowed = (...[db, query]: Parameters<Lookup>) =>
    record(() =>
      query((account) => sql<boolean>`${account} = any(${REACHABLE}::bigint[])`).compile(db),
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

/** Whether a test itself executes the statement, without product code in between. */
function isCalledByTest(): boolean {
  const paths = callers()
    .map((file) => file.split(`${ROOT}/`)[1] ?? '')
    .filter((path) => path !== '' && !path.startsWith('testing/setup/database.ts'));
  const isTest = paths.some((path) => TEST.test(path));
  return isTest && !paths.some((path) => PRODUCT.test(path) && !TEST.test(path));
}

/**
 * The files on the call stack. The function is called for each statement, so it omits line numbers,
 * which are the most expensive part.
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
