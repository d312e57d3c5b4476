// Imports from another service: subscribers are fetched into a file, which is then previewed and
// started like any other. The key is stored sealed while the job waits and deleted when it ends.
import { Readable } from 'node:stream';
import { z } from 'zod';
import { encodeId } from '#platform/ids.ts';
import type { Language } from '#platform/languages.ts';
import { clock } from '#platform/server/clock.ts';
import {
  type Db,
  inTransaction,
  isRetriable,
  type Reader,
} from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import { files } from '#platform/server/files/files.ts';
import type { Actor } from '#platform/server/http/serve.ts';
import { addJob, defineJob, JobInterrupted } from '#platform/server/jobs/jobs.ts';
import { requireToken } from '#platform/server/limits/rate-limit.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import { log } from '#platform/server/log.ts';
import { type OutsideCode, OutsideFailure } from '#platform/server/outgoing/outside-calls.ts';
import { seal, unseal } from '#platform/server/secrets.ts';
import type { Fetching, OutsideLists } from '../contract.ts';
import type { FetchState } from '../shared.ts';
import * as store from './imports.sql.ts';
import type { ListProvider, OutsideRows, ServiceName } from './list-provider.ts';
import { lockUploadSlot, presentFetchError } from './uploads.ts';

const PURPOSE = 'keys of other services';
const MAX_ATTEMPTS = 4;

let providers: readonly ListProvider[] = [];

/** Sets the services that subscribers can be fetched from; called once per process. */
export function configureListProviders(listProviders: readonly ListProvider[]): void {
  providers = listProviders;
}

function getProvider(name: string): ListProvider {
  const provider = providers.find((provider) => provider.name === name);
  if (provider === undefined) throw new AppError('service_unknown');
  return provider;
}

/** Trims the key and refuses a malformed one before any request, because a key may name a host. */
function parseKey(provider: ListProvider, text: string): string {
  const key = text.trim();
  if (!provider.isKey(key))
    throw new AppError('key_malformed', { values: { service: provider.title } });
  return key;
}

const listRate = { capacity: 20, perSecond: 1 / 15 };

export async function readLists(
  db: Db,
  accountId: number,
  name: ServiceName,
  apiKey: string,
): Promise<OutsideLists> {
  const provider = getProvider(name);
  const key = parseKey(provider, apiKey);
  // Prevents key guessing through this installation.
  await requireToken(db, `outside:${accountId}`, listRate);
  try {
    const lists = await provider.lists(key, AbortSignal.timeout(30_000));
    return lists.map(({ id, title, subscriberCount }) => ({
      id,
      title,
      subscribers: subscriberCount,
    }));
  } catch (error) {
    throw toAppError(error, provider);
  }
}

function toAppError(error: unknown, provider: ListProvider): unknown {
  return error instanceof OutsideFailure
    ? new AppError(error.code, { values: { service: provider.title } })
    : error;
}

/**
 * Starts a fetch of these lists, or of all lists if `lists` is undefined.
 * @throws `key_malformed`, `key_refused`, `list_unknown`, `service_…`
 */
export async function startFetching(
  db: Db,
  caller: Actor,
  order: { service: ServiceName; apiKey: string; lists: readonly string[] | undefined },
): Promise<store.ImportRow> {
  const provider = getProvider(order.service);
  const key = parseKey(provider, order.apiKey);
  const available = await readLists(db, caller.accountId, order.service, key);
  const selectedLists = order.lists
    ? available.filter((list) => order.lists?.includes(list.id))
    : available;
  if (
    selectedLists.length === 0 ||
    (order.lists && selectedLists.length < new Set(order.lists).size)
  )
    throw new AppError('list_unknown', { values: { service: provider.title } });
  return inTransaction(db, async (tx) => {
    await lockUploadSlot(tx, caller.accountId);
    const row = await store.insertFetchingImport(tx, {
      ...caller,
      method: order.service,
      fileName: provider.title,
      lists: selectedLists.map(({ id, title }) => ({ id, title })),
      sealedKey: seal(PURPOSE, key),
      at: clock.now(),
    });
    await addJob(
      tx,
      fetchJob,
      { accountId: caller.accountId, importId: row.id },
      { key: `fetch:${caller.accountId}:${row.id}`, queue: `fetches:${caller.accountId}` },
    );
    return row;
  });
}

export async function readFetching(
  db: Reader,
  accountId: number,
  id: number,
  language: Language,
): Promise<Fetching> {
  const row = await store.findImport(db, accountId, id);
  if (row === undefined) throw notFound();
  return presentFetching(row, language);
}

export function presentFetching(row: store.ImportRow, language: Language): Fetching {
  const isFetching = row.state === 'fetching' || row.state === 'fetch_failed';
  return {
    id: encodeId('import', row.id),
    source: encodeId('import', row.id),
    state: (isFetching ? row.state : 'uploaded') as FetchState,
    rowCount: row.row_count ?? 0,
    rows_read: isFetching ? row.checkpoint : (row.row_count ?? 0),
    error: presentFetchError(row, language),
  };
}

/** The lists to fetch, stored in `imports.detected` until the file replaces them. */
export interface FetchedLists {
  wanted: { id: string; title: string }[];
}

export const fetchJob = defineJob({
  name: 'imports.fetch',
  payload: z.object({ accountId: z.number(), importId: z.number() }),
  run: async ({ accountId, importId }, { db, signal }) => {
    const row = await store.findImport(db, accountId, importId);
    if (row?.state !== 'fetching' || row.sealed_key === null) {
      // A killed worker may have written the file after the fetch was canceled.
      await removeUnreferenced(db, { account_id: accountId, id: importId });
      return;
    }
    try {
      await fetchAll(db, row, unseal(PURPOSE, row.sealed_key), signal);
    } catch (error) {
      await settleFailure(db, row, signal, error);
    }
  },
  onAbandoned: async ({ accountId, importId }, { db }) => {
    const row = await store.findImport(db, accountId, importId);
    if (row?.state === 'fetching') await endFailed(db, row, 'fetch_failed');
  },
});

/**
 * Returns the storage key of the fetched file: a second attempt overwrites an unrecorded file of
 * the first.
 */
const createFetchedKey = (row: { account_id: number; id: number }) =>
  `imports/${row.account_id}/fetched/${row.id}`;

/** Deletes the file unless the import refers to it: another worker may have finished since then. */
async function removeUnreferenced(db: Db, row: { account_id: number; id: number }): Promise<void> {
  const key = createFetchedKey(row);
  const now = await store.findImport(db, row.account_id, row.id);
  if (now?.file_key !== key) await files.remove(key);
}

async function fetchAll(
  db: Db,
  row: store.ImportRow,
  key: string,
  signal: AbortSignal,
): Promise<void> {
  const { wanted: lists } = row.detected as FetchedLists;
  const provider = getProvider(row.method);
  const rows = await provider.rows(key, lists, signal);
  const fileKey = createFetchedKey(row);
  const count = { rows: 0 };
  const size = await files.put(fileKey, Readable.from(formatLines(db, row, rows, count)));
  const isStored = await store.completeFetch(db, row.account_id, row.id, {
    fileKey,
    rowCount: count.rows,
    detected: {
      encoding: 'utf-8',
      lines: count.rows + 1,
      size,
      lists: lists.map((list) => list.title),
    },
    at: clock.now(),
  });
  if (!isStored) await removeUnreferenced(db, row);
  sendChangeHint(db, row.account_id, 'import', row.id);
}

async function* formatLines(
  db: Db,
  row: store.ImportRow,
  { titles, total, pages }: OutsideRows,
  count: { rows: number },
): AsyncGenerator<Buffer> {
  yield Buffer.from(formatLine(titles));
  for await (const page of pages) {
    yield Buffer.from(page.map(formatLine).join(''));
    count.rows += page.length;
    const progress = { rows: count.rows, total: Math.max(total, count.rows), at: clock.now() };
    if (!(await store.saveFetchProgress(db, row.account_id, row.id, progress)))
      throw new JobInterrupted('the import was canceled');
    sendChangeHint(db, row.account_id, 'import', row.id);
  }
}

/** Formats a line per RFC 4180; only our own reader reads it, so formulas are not escaped. */
function formatLine(cells: readonly string[]): string {
  const quotedCells = cells.map((cell) =>
    /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell,
  );
  return `${quotedCells.join(',')}\r\n`;
}

async function settleFailure(
  db: Db,
  row: store.ImportRow,
  signal: AbortSignal,
  error: unknown,
): Promise<void> {
  if (signal.aborted || error instanceof JobInterrupted || isRetriable(error)) throw error;
  const code: OutsideCode | 'fetch_failed' =
    error instanceof OutsideFailure ? error.code : 'fetch_failed';
  log.warn('Could not fetch subscribers from another service', {
    import: row.id,
    service: row.method,
    reason: (error as Error).message,
  });
  const failures = await store.countFailureAtCheckpoint(db, row.account_id, row.id, 0);
  const isFinal = code === 'key_refused' || code === 'not_there' || failures >= MAX_ATTEMPTS;
  if (!isFinal) throw error;
  await endFailed(db, row, code);
}

async function endFailed(db: Db, row: store.ImportRow, errorCode: string): Promise<void> {
  await store.markFetchFailed(db, row.account_id, row.id, { errorCode, at: clock.now() });
  await removeUnreferenced(db, row);
  sendChangeHint(db, row.account_id, 'import', row.id);
}
