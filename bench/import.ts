// Measures imports: a file of contacts with names, five custom fields and two groups, through the
// real file route (uploaded to the web role, written by the worker role). It is compared with a
// COPY of the same columns into tables with the same columns, indexes and keys, in alternating
// rounds with separate accounts. The import has more work: it writes each subscriber's consent, and
// parses and validates rows. npm run bench -- import [--json] [--rows 200000] [--rounds 3]
import type { ChildProcess } from 'node:child_process';
import {
  createReadStream,
  createWriteStream,
  mkdtempSync,
  openAsBlob,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Import, ImportPreview } from '#areas/imports/contract.ts';
import { migrateDatabase } from '#main/prepare.ts';
import { startEmbeddedPostgres } from '#platform/server/database/embedded-postgres.ts';
import { median } from './kit/figures.ts';
import { readPeakMegabytes, startRole, stopRole } from './kit/own-roles.ts';
import { newOwner } from './kit/owner.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    rows: { type: 'string', default: '200000' },
    rounds: { type: 'string', default: '3' },
  },
  allowPositionals: true,
});
const rows = Number(values.rows);
const rounds = Number(values.rounds);
const FIELDS = [
  { title: 'City', type: 'text' },
  { title: 'Shop', type: 'text' },
  { title: 'Orders', type: 'number' },
  { title: 'Spent', type: 'number' },
  { title: 'Since', type: 'datetime' },
] as const;
const PIECE_ROWS = 1000;

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sendloom-import-'));
  const databaseUrl = process.env.DATABASE_URL;
  const server = databaseUrl ? undefined : await startEmbeddedPostgres({ folder });
  const url = databaseUrl ?? (server?.url as string);
  const roles: ChildProcess[] = [];
  try {
    await migrateDatabase(url);
    const database = new pg.Client({ connectionString: url });
    await database.connect();
    const port = 21_000 + (process.pid % 10_000);
    const env = environment(url, folder, port);
    for (const role of ['web', 'worker'] as const) roles.push(await startRole(role, env));
    await run(database, folder, port, roles);
    await database.end();
  } finally {
    for (const role of roles) await stopRole(role);
    await server?.stop();
    if (server) rmSync(server.cluster, { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run(
  database: pg.Client,
  folder: string,
  port: number,
  roles: ChildProcess[],
): Promise<void> {
  await database.query('create table raw_people (like subscribers including all)');
  await database.query('create table raw_members (like group_members including all)');
  await database.query(
    'alter table raw_members add foreign key (account_id, group_id) references groups (account_id, id)',
  );
  const ratios: number[] = [];
  const ratiosPeople: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const account = await makeAccount(database, round);
    const files = await writeFiles(folder, round, account);
    const raw = await measureRaw(database, files);
    const productMs = await measureProduct(port, files.csv);
    ratios.push((raw.people + raw.members) / productMs);
    ratiosPeople.push(raw.people / productMs);
    const size = (statSync(files.csv).size / 1048576).toFixed(0);
    console.log(
      `round ${round}: ${rows} rows, ${size} MB: raw COPY ${per(raw.people)} subscribers, ${per(raw.people + raw.members)} with their groups; import ${per(productMs)}; ratio ${ratios.at(-1)?.toFixed(2)}`,
    );
  }
  const ratio = median(ratios);
  const [web, worker] = roles.map(readPeakMegabytes);
  console.log(
    `\nmedian ratio to a raw COPY: ${ratio.toFixed(2)} with groups (at least 0.5), ${median(ratiosPeople).toFixed(2)} with subscribers alone`,
  );
  console.log(`peak memory: web ${web} MB, worker ${worker} MB (less than 300)`);
  if (values.json)
    console.log(
      JSON.stringify({
        bench: 'import',
        ratio,
        ratioPeopleOnly: median(ratiosPeople),
        rows,
        webMegabytes: web,
        workerMegabytes: worker,
      }),
    );
}

/** Writes the contacts as a user's file, and as lines for COPY. */
async function writeFiles(folder: string, round: number, account: number) {
  const files = {
    csv: join(folder, `contacts-${round}.csv`),
    people: join(folder, `people-${round}.copy`),
    members: join(folder, `members-${round}.copy`),
  };
  const instant = '2026-01-01 00:00:00+00';
  await pipeline(
    Readable.from(
      generateChunks(
        (i, n) =>
          `person${n}@example${n % 997}.com,First${n % 1009},Last${i},Town ${n % 313},"Shop ${n % 17}, inc",${n % 40},${(n % 9000) / 10},2025-${twoDigits(1 + (n % 12))}-${twoDigits(1 + (n % 28))}\n`,
        'Email,First name,Last name,City,Shop,Orders,Spent,Since\n',
      ),
    ),
    createWriteStream(files.csv),
  );
  await pipeline(
    Readable.from(
      generateChunks(
        (i, n) =>
          `${account}\t${i + 1}\tperson${n}@example${n % 997}.com\tperson${n}@example${n % 997}.com\tFirst${n % 1009}\tLast${i}\t{"1":"Town ${n % 313}","2":"Shop ${n % 17}, inc","3":${n % 40},"4":${(n % 9000) / 10},"5":"2025-${twoDigits(1 + (n % 12))}-${twoDigits(1 + (n % 28))} 00:00:00"}\timport\t1\t${instant}\t${instant}\n`,
      ),
    ),
    createWriteStream(files.people),
  );
  await pipeline(
    Readable.from(
      generateChunks(
        (i) => `${account}\t1\t${i + 1}\t${instant}\n${account}\t2\t${i + 1}\t${instant}\n`,
      ),
    ),
    createWriteStream(files.members),
  );
  return files;
}

/**
 * Yields the lines in pieces. `n` takes distinct values in no particular order, so that addresses
 * are unsorted as in real files.
 */
function* generateChunks(line: (i: number, n: number) => string, head = ''): Generator<string> {
  let text = head;
  for (let i = 0; i < rows; i++) {
    text += line(i, (i * 7_919) % 15_485_863);
    if (i % PIECE_ROWS === PIECE_ROWS - 1) {
      yield text;
      text = '';
    }
  }
  yield text;
}

const twoDigits = (value: number) => String(value).padStart(2, '0');

/** Creates the account of the raw rows, with the groups 1 and 2 that they refer to. */
async function makeAccount(database: pg.Client, round: number): Promise<number> {
  const id = 1_000_000 + round;
  await database.query(
    `insert into accounts (id, title, timezone, language, created_at, modified_at)
     values ($1, 'Raw', 'UTC', 'eng', now(), now())`,
    [id],
  );
  await database.query(
    `insert into groups (account_id, id, title, title_key, created_at, modified_at)
     select $1, id, id::text, id::text, now(), now() from generate_series(1, 2) as id`,
    [id],
  );
  return id;
}

async function measureRaw(database: pg.Client, files: { people: string; members: string }) {
  const startedAt = performance.now();
  await pipeline(
    createReadStream(files.people),
    database.query(
      copyFrom(
        'copy raw_people (account_id, id, email, email_key, firstname, lastname, field_values, source, import_id, created_at, modified_at) from stdin',
      ),
    ),
  );
  const half = performance.now();
  await pipeline(
    createReadStream(files.members),
    database.query(
      copyFrom('copy raw_members (account_id, group_id, subscriber_id, created_at) from stdin'),
    ),
  );
  return { people: half - startedAt, members: performance.now() - half };
}

/** Returns the milliseconds from the first byte of the upload to the finished import. */
async function measureProduct(port: number, csv: string): Promise<number> {
  const call = await signUp(port);
  for (const field of FIELDS) await call('POST', '/client-api/api/fields', field);
  const tags: string[] = [];
  for (const title of ['One', 'Two'])
    tags.push((await call<{ id: string }>('POST', '/client-api/api/tags', { title })).data.id);
  const form = new FormData();
  form.append('file', await openAsBlob(csv), 'contacts.csv');
  const startedAt = performance.now();
  const { data: preview } = await call<ImportPreview>(
    'POST',
    '/client-api/api/subscribers/import_file',
    form,
  );
  await call('POST', '/client-api/api/subscribers/start_import', {
    source: preview.source,
    columns: preview.columns.map(({ column, target }) => ({ column, target })),
    tags,
    consent: { attested: true },
  });
  for (;;) {
    const { data } = await call<Import>('GET', `/client-api/api/imports/${preview.id}`);
    if (data.state === 'finished') {
      if (data.created_count !== rows)
        throw new Error(`${data.created_count} of ${rows} were imported`);
      return performance.now() - startedAt;
    }
    if (data.state === 'failed') throw new Error(data.error?.message);
    await sleep(200);
  }
}

type ApiCall = <Data>(method: string, path: string, body?: object) => Promise<{ data: Data }>;

async function signUp(port: number): Promise<ApiCall> {
  const base = `http://127.0.0.1:${port}`;
  const { headers } = await newOwner(base);
  return async (method, path, body) => {
    const isForm = body instanceof FormData;
    const response = await fetch(base + path, {
      method,
      headers: {
        ...headers,
        ...(isForm || !body ? {} : { 'content-type': 'application/json' }),
      },
      ...(body ? { body: isForm ? body : JSON.stringify(body) } : {}),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as never;
  };
}

function environment(url: string, folder: string, port: number): NodeJS.ProcessEnv {
  return {
    ...process.env,
    DATABASE_URL: url,
    SECRET: 'a secret of the benchmark, thirty-two characters',
    DATA_DIR: folder,
    HOST: '127.0.0.1',
    PORT: String(port),
    INBOX_SMTP_PORT: '0',
    LOG_LEVEL: 'warn',
    NODE_ENV: 'development',
  };
}

const per = (milliseconds: number) => `${Math.round((rows * 1000) / milliseconds)}/s`;

await main();
