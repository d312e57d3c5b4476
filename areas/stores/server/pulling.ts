// Polling of stores page by page. While pages are saved, the next ones are requested. All pages
// that have arrived by then are saved in one transaction, together with the cursor of the page
// after them, at which an interrupted poll resumes.
import { setTimeout as sleep } from 'node:timers/promises';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import { JobInterrupted } from '#platform/server/jobs/jobs.ts';
import type { Adapter, StoreCredentials, SyncedKind, StoreChanges } from './adapter.ts';
import {
  changeStore,
  findStore,
  lockStore,
  type StoreChange,
  type StoreRow,
} from './connections.sql.ts';
import { upsertCustomers } from './customers.ts';
import { addHosts } from './own-hosts.ts';
import { upsertProducts } from './products.ts';
import { upsertOrders } from './save-orders.ts';
import { readStoreZone } from './zone.ts';

export const CALL_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/**
 * Overlap of polls, because clocks of stores differ and changes made during a poll must not be
 * missed.
 */
const OVERLAP_MS = 600_000;
/** Once a day, a poll requests the changes of this period again. */
const REVIEW_MS = 7 * DAY_MS;
/** Maximum time that a poll waits before a page, even if the store requests a longer delay. */
const MAX_WAIT_MS = 20_000;
/** Pages per transaction, of a hundred items each, so that the store is locked only briefly. */
const MAX_PAGES_PER_TRANSACTION = 10;
const KINDS: readonly SyncedKind[] = ['products', 'customers', 'orders'];

/** Position of a poll. */
type PullPosition = {
  kind: SyncedKind;
  cursor: string | null;
  since: string | null;
  began: string;
};
type Page = { changes: StoreChanges; position: PullPosition; next: PullPosition | undefined };
/** Pages received, and the error that ended the requests early. */
type FetchedPages = { pages: Page[]; error?: unknown };

type FetchContext = { adapter: Adapter; credentials: StoreCredentials; signal: AbortSignal };

/** Saves all changes since the last poll. */
export async function pullAll(
  db: Db,
  accountId: number,
  shop: StoreRow,
  context: FetchContext,
): Promise<void> {
  const zone = await readStoreZone(db, accountId, shop);
  let fetchedPages = await fetchPages(context, zone, positionOf(shop), Promise.resolve());
  for (;;) {
    const { pages, error } = fetchedPages;
    const next = pages.at(-1)?.next;
    const saving = savePulledPages(db, accountId, shop.id, pages);
    const nextFetch =
      next && error === undefined ? fetchPages(context, zone, next, saving) : undefined;
    const isConnected = await saving.finally(() => nextFetch);
    if (error !== undefined) throw error;
    if (!nextFetch || !isConnected) return;
    fetchedPages = await nextFetch;
  }
}

/** Requests at least one page, and more while the previous ones are saved. Never rejects. */
async function fetchPages(
  { adapter, credentials, signal }: FetchContext,
  zone: string,
  from: PullPosition,
  saving: Promise<unknown>,
): Promise<FetchedPages> {
  const pages: Page[] = [];
  let isSaved = false;
  const markSaved = () => {
    isSaved = true;
  };
  void saving.then(markSaved, markSaved);
  try {
    for (let position: PullPosition | undefined = from; position; ) {
      if (signal.aborted) throw new JobInterrupted();
      const changes = await adapter.fetchChanges(
        credentials,
        position.kind,
        { since: position.since ? new Date(position.since) : null, cursor: position.cursor, zone },
        AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]),
      );
      const next = nextPlace(position, changes.next);
      pages.push({ changes, position, next });
      if (next && changes.waitMs)
        await sleep(Math.min(changes.waitMs, MAX_WAIT_MS), undefined, { ref: false });
      if (isSaved || pages.length === MAX_PAGES_PER_TRANSACTION) break;
      position = next;
    }
    return { pages };
  } catch (error) {
    return { pages, error };
  }
}

/**
 * Returns the position of an interrupted poll, otherwise the start of a new one. The first poll
 * requests all data; later ones request the changes since shortly before the last poll, and once a
 * day the changes in `REVIEW_MS` before it.
 */
function positionOf(shop: StoreRow): PullPosition {
  const storedPosition = shop.cursors.place
    ? (JSON.parse(shop.cursors.place) as PullPosition)
    : undefined;
  if (storedPosition) return storedPosition;
  const now = clock.now();
  const isReview = !shop.reviewed_at || now.getTime() - shop.reviewed_at.getTime() >= DAY_MS;
  const since = shop.synced_at
    ? new Date(shop.synced_at.getTime() - (isReview ? REVIEW_MS : OVERLAP_MS)).toISOString()
    : null;
  return { kind: 'products', cursor: null, since, began: now.toISOString() };
}

function nextPlace(position: PullPosition, cursor: string | null): PullPosition | undefined {
  if (cursor !== null) return { ...position, cursor };
  const kind = KINDS[KINDS.indexOf(position.kind) + 1];
  return kind && { ...position, kind, cursor: null };
}

/** Saves pages together; on failure one by one, so that those before the invalid one are saved. */
async function savePulledPages(
  db: Db,
  accountId: number,
  storeId: number,
  pages: readonly Page[],
): Promise<boolean> {
  const save = (batch: readonly Page[]) =>
    inTransaction(db, (tx) => savePages(tx, accountId, storeId, batch));
  if (pages.length < 2) return save(pages);
  try {
    return await save(pages);
  } catch {
    for (const page of pages) if (!(await save([page]))) return false;
    return true;
  }
}

/**
 * Saves pages with the cursor after them, so nothing is repeated or skipped. False if the store is
 * disconnected.
 */
async function savePages(
  tx: Tx,
  accountId: number,
  storeId: number,
  pages: readonly Page[],
): Promise<boolean> {
  const [first] = pages;
  if (!first) return true;
  const shop = await findStore(tx, accountId, storeId);
  if (!shop || shop.state === 'disconnected') return false;
  const changes = mergedPages(pages);
  const isFirst = first.position.since === null;
  await savePulled(tx, accountId, shop, changes, isFirst);
  // Locks only at the end, so that a disconnection waits for no page and takes effect.
  const lockedStore = await lockStore(tx, accountId, storeId);
  if (!lockedStore || lockedStore.state === 'disconnected') return false;
  const { progress, settings } = lockedStore;
  const hosts = addHosts(
    settings.hosts,
    changes.products.map(({ url }) => url),
  );
  const next = pages.at(-1)?.next;
  await changeStore(
    tx,
    accountId,
    storeId,
    {
      state: next && lockedStore.state === 'connecting' ? 'connecting' : 'live',
      failing_since: null,
      failure: null,
      failure_notified_at: null,
      ...(hosts && { settings: { ...settings, hosts } }),
      cursors: next ? { place: JSON.stringify(next) } : {},
      ...(isFirst && {
        progress: {
          products: (progress.products ?? 0) + changes.products.length,
          customers: (progress.customers ?? 0) + changes.customers.length,
          orders: (progress.orders ?? 0) + changes.orders.length,
        },
      }),
      ...(!next && finishedAt(shop, new Date(first.position.began))),
    },
    clock.now(),
  );
  return true;
}

type PulledRows = Required<Pick<StoreChanges, 'products' | 'customers' | 'orders'>>;

function mergedPages(pages: readonly Page[]): PulledRows {
  return {
    products: pages.flatMap(({ changes }) => changes.products ?? []),
    customers: pages.flatMap(({ changes }) => changes.customers ?? []),
    orders: pages.flatMap(({ changes }) => changes.orders ?? []),
  };
}

async function savePulled(
  tx: Tx,
  accountId: number,
  shop: StoreRow,
  { products, customers, orders }: PulledRows,
  isFirst: boolean,
): Promise<void> {
  if (products.length > 0) await upsertProducts(tx, accountId, shop, products);
  if (customers.length > 0)
    await upsertCustomers(
      tx,
      accountId,
      { store: shop, isTrusted: true, isQuiet: isFirst },
      customers,
    );
  await upsertOrders(tx, accountId, shop.id, orders, isFirst ? 'import' : 'pull');
}

/** Returns the times of a complete poll and of the next one. */
function finishedAt(shop: StoreRow, startedAt: Date): StoreChange {
  const isReview = !shop.reviewed_at || startedAt.getTime() - shop.reviewed_at.getTime() >= DAY_MS;
  return {
    synced_at: startedAt,
    due_at: new Date(clock.now().getTime() + HOUR_MS),
    ...(isReview && { reviewed_at: startedAt }),
  };
}
