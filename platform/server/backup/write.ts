// Writes a backup while the product runs: first one snapshot of every table, read over several
// connections, then the files. The same command resumes an interrupted backup.
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { clock } from '../clock.ts';
import type { FileStore } from '../files.ts';
import { type Piece, runPieces } from '../parallel.ts';
import { SnapshotError } from '../snapshot-error.ts';
import * as tables from '../snapshot.sql.ts';
import * as place from './folder.ts';
import { askToHold, connect, type Instant } from './instant.ts';
import * as store from './parts.sql.ts';

export type Source = { databaseUrl: string; secret: string; files: FileStore };
export type Manner = {
  /** Number of concurrent connections, each reading one part. */
  connections: number;
  /** Starts the process that holds the snapshot (instant.ts); it must outlive this one. */
  startHolder(): ChildProcess;
  say(sentence: string): void;
};
export type BackupFacts = {
  at: string;
  rows: number;
  files: number;
  /** Number of parts and files that already existed. */
  kept: number;
};

type State = { begun: place.Begun; held: Instant | undefined };
type Going = {
  begun: place.Begun;
  /** Set if all connections share one snapshot. */
  instant: string | undefined;
  done: place.Done[];
  end(): Promise<void>;
};

const PART_TRIES = 3;
const LOCK_MS = 3_000;
const TELL_MS = 10_000;

export async function writeBackup(
  source: Source,
  target: string,
  manner: Manner,
): Promise<BackupFacts> {
  const folder = `${target}.partial`;
  const control = await connect(source.databaseUrl);
  try {
    await refuseOthers(control, target);
    if (await store.isHalfRestored(control)) {
      throw new SnapshotError('A restore into this database did not come to its end.');
    }
    await place.openFolder(folder);
    const going = await goOn(control, source, folder, manner);
    const rows = await writeRows(source, folder, going, manner);
    const files = await writeFiles(source.files, folder, going, manner);
    const done = [...rows, ...files];
    await place.writeManifest(folder, { ...going.begun, secret: source.secret, done });
    await rm(stateOf(folder), { force: true });
    await takePlace(folder, target);
    await going.end();
    const kept = done.filter((one) => going.done.includes(one)).length;
    const sum = rows.reduce((all, one) => all + one.rows, 0);
    return { at: going.begun.at, rows: sum, files: files.length, kept };
  } finally {
    await control.end();
  }
}

const stateOf = (folder: string) => path.join(folder, 'begun.json');

/** The session of a killed backup disappears a moment later. */
async function refuseOthers(control: pg.Client, target: string): Promise<void> {
  const until = performance.now() + LOCK_MS;
  while (!(await store.lockPlace(control, target))) {
    if (performance.now() > until) {
      throw new SnapshotError(`Another backup is being written to ${target}.`);
    }
    await sleep(200);
  }
}

/**
 * Resumes at the snapshot of the unfinished backup while a process holds it, else starts at a new
 * one.
 */
async function goOn(
  control: pg.Client,
  source: Source,
  folder: string,
  manner: Manner,
): Promise<Going> {
  const state = await place.readJson<State>(stateOf(folder));
  const done = state ? await place.readDone(folder) : [];
  if (state?.held) {
    const held = await adopt(control, source, state.held, manner);
    if (held) {
      try {
        await place.rewriteJournal(folder, done);
        await place.writeJson(stateOf(folder), { begun: state.begun, held: plain(held) });
      } catch (error) {
        // On a full disk the previous holder continues.
        await held.end();
        throw error;
      }
      await store.letGo(control, state.held.backend, state.held.name);
      const there = done.filter(({ kind }) => kind === 'rows').length;
      manner.say(
        `Going on with the backup of ${state.begun.at}: ${there} of ${state.begun.parts.length} parts are there.`,
      );
      return { begun: state.begun, instant: held.instant, done, end: held.end };
    }
  }
  const files = done.filter(({ kind }) => kind === 'file');
  if (state) {
    manner.say(
      `Nobody holds the instant of the backup that was begun any more: its rows are read anew, ${files.length} files stay.`,
    );
  }
  await rm(path.join(folder, 'rows'), { recursive: true, force: true });
  await place.openFolder(folder);
  await place.rewriteJournal(folder, files);
  return { ...(await begin(source, folder, manner)), done: files };
}

const plain = ({ instant, backend, name }: Instant): Instant => ({ instant, backend, name });
const newName = () => `backup ${randomUUID()}`;

async function adopt(control: pg.Client, source: Source, before: Instant, manner: Manner) {
  // Snapshot names are reused; the session's name is unique.
  if (!(await store.isHeld(control, before.backend, before.name))) return undefined;
  return askToHold(manner.startHolder(), {
    databaseUrl: source.databaseUrl,
    name: newName(),
    from: before.instant,
  });
}

async function begin(
  source: Source,
  folder: string,
  manner: Manner,
): Promise<Pick<Going, 'begun' | 'instant' | 'end'>> {
  const client = await connect(source.databaseUrl);
  try {
    const isSpread = await store.isSpread(client);
    const held = isSpread
      ? undefined
      : await askToHold(manner.startHolder(), { databaseUrl: source.databaseUrl, name: newName() });
    if (!isSpread && !held) throw new Error('The instant of the backup was not held');
    await store.beginAt(client, held?.instant);
    const begun = await planAt(client, isSpread);
    await place.writeJson(stateOf(folder), { begun, held: held && plain(held) });
    return { begun, instant: held?.instant, end: held?.end ?? (async () => {}) };
  } finally {
    await client.end();
  }
}

async function planAt(client: pg.Client, isSpread: boolean): Promise<place.Begun> {
  const at = clock.now().toISOString();
  const all = await tables.readTables(client);
  const reached: Record<string, number> = {};
  for (const { name, identity } of all) {
    for (const column of identity) {
      reached[`${name}.${column}`] = await tables.readReached(client, name, column);
    }
  }
  return {
    format: place.FORMAT,
    product: 'sendloom',
    at,
    migrations: await tables.readMigrationNames(client),
    tables: all.map(({ name, columns, parents }) => ({ name, columns, parents })),
    parts: isSpread
      ? all.map(({ name }) => whole(name, name))
      : partsOf(await store.readHeaps(client)),
    jobs: await tables.readJobs(client),
    reached,
  };
}

const whole = (table: string, heap: string): place.Part => ({ name: heap, table, heap });

/** Largest first, so that no large part runs alone at the end. */
function partsOf(heaps: readonly store.Heap[]): place.Part[] {
  return heaps
    .filter(({ pages }) => pages > 0)
    .toSorted((a, b) => b.pages - a.pages)
    .flatMap(({ heap, table, pages, pageBytes }) => {
      const step = Math.floor(store.PART_BYTES / pageBytes);
      if (pages <= step) return [whole(table, heap)];
      return Array.from({ length: Math.ceil(pages / step) }, (_, i) => ({
        ...whole(table, heap),
        name: `${heap}.${i + 1}`,
        range: { from: i * step, ...((i + 1) * step < pages ? { to: (i + 1) * step } : {}) },
      }));
    });
}

async function writeRows(
  { databaseUrl }: Source,
  folder: string,
  { begun, instant, done }: Going,
  { connections, say }: Manner,
): Promise<place.Done[]> {
  const kept = done.filter(({ kind }) => kind === 'rows');
  const names = new Set(kept.map(({ name }) => name));
  const open = begun.parts.filter(({ name }) => !names.has(name));
  const columns = new Map(begun.tables.map((table) => [table.name, table.columns]));
  const atOnce = instant === undefined ? 1 : connections;
  const readers = new Readers(databaseUrl, instant);
  const tell = teller(say, begun.parts.length, 'parts');
  try {
    await runPieces(open, atOnce, async (part, worker) => {
      const statement = store.copyPartOut(part.heap, columns.get(part.table) ?? [], part.range);
      kept.push(
        await readers.read(worker, async (client) => {
          const copy = client.query(copyTo(statement));
          const what = { kind: 'rows', name: part.name } as const;
          return place.keep(folder, what, copy, () => copy.rowCount ?? 0);
        }),
      );
      tell(kept.length);
    });
    return kept;
  } finally {
    await readers.close();
  }
}

/**
 * One connection per worker, all at the same snapshot. A lost connection is replaced while the
 * snapshot is held.
 */
class Readers {
  private readonly clients = new Map<number, pg.Client>();
  private readonly databaseUrl: string;
  private readonly instant: string | undefined;

  constructor(databaseUrl: string, instant: string | undefined) {
    this.databaseUrl = databaseUrl;
    this.instant = instant;
  }

  async read<T>(worker: number, work: (client: pg.Client) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      const client = this.clients.get(worker) ?? (await this.open(worker));
      try {
        return await work(client);
      } catch (error) {
        this.clients.delete(worker);
        await client.end().catch(() => {});
        // Without a shared snapshot, no other connection can read this one's.
        if (this.instant === undefined || tries >= PART_TRIES || !isLost(error)) throw error;
      }
    }
  }

  private async open(worker: number): Promise<pg.Client> {
    const client = await connect(this.databaseUrl);
    this.clients.set(worker, client);
    if (this.instant === undefined) await store.oneConnectionToEachNode(client);
    if (!(await store.beginAt(client, this.instant))) {
      throw new SnapshotError(
        'The database ended the transaction that held the backup’s instant: run the command again, it begins anew.',
      );
    }
    return client;
  }

  async close(): Promise<void> {
    await Promise.all([...this.clients.values()].map((client) => client.end().catch(() => {})));
  }
}

/** Whether the connection failed, as opposed to the statement or the disk. */
function isLost(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return /^(08|57P)|^(ECONNRESET|EPIPE)$/.test(code) || /connection terminated/i.test(message);
}

/**
 * Runs after the rows that refer to the files. A file deleted meanwhile is skipped; its row is
 * handled the same way.
 */
async function writeFiles(
  files: FileStore,
  folder: string,
  { done }: Going,
  { connections, say }: Manner,
): Promise<place.Done[]> {
  const before = new Map(
    done.filter(({ kind }) => kind === 'file').map((one) => [one.name, one] as const),
  );
  const found: place.Done[] = [];
  const open: Piece[] = [];
  for await (const key of files.list()) {
    const kept = before.get(key);
    before.delete(key);
    // The content of a key never changes.
    if (kept && (await files.size(key)) === kept.plainBytes) found.push(kept);
    else open.push({ name: key });
  }
  for (const gone of before.values()) await rm(place.placeOf(folder, gone), { force: true });
  const tell = teller(say, found.length + open.length, 'files');
  await runPieces(open, connections, async ({ name }) => {
    const content = await files.get(name);
    if (!content) return;
    found.push(await place.keep(folder, { kind: 'file', name }, content, () => 0));
    tell(found.length);
  });
  return found;
}

function teller(say: Manner['say'], all: number, what: string): (count: number) => void {
  let last = performance.now();
  return (count) => {
    if (performance.now() - last < TELL_MS) return;
    last = performance.now();
    say(`${count} of ${all} ${what} …`);
  };
}

/** Replaces the previous backup of this name once the new one is complete. */
async function takePlace(folder: string, target: string): Promise<void> {
  const former = `${target}.former`;
  await rm(former, { recursive: true, force: true });
  if (existsSync(target)) await rename(target, former);
  await rename(folder, target);
  await rm(former, { recursive: true, force: true });
}
