// What a shop is asked for, page by page. While some pages are taken in, the next are asked for; those that came
// meanwhile are taken in together, with the place after them: who is killed goes on there.
import { setTimeout as sleep } from 'node:timers/promises';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database.ts';
import { JobInterrupted } from '#platform/server/jobs.ts';
import type { Adapter, Credentials, Kind, Pulled } from './adapter.ts';
import { changeStore, findStore, lockStore, type StoreFacts } from './connections.sql.ts';
import { upsertCustomers } from './customers.ts';
import { withHosts } from './own-hosts.ts';
import { upsertProducts } from './products.ts';
import { upsertOrders } from './take-orders.ts';
import { zoneOf } from './zone.ts';

export const CALL_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Shops' clocks differ, and what was saved while we asked came after. */
const OVERLAP_MS = 600_000;
const REVIEW_MS = 7 * DAY_MS;
/** A rest that a shop asks for is waited for here; a longer one by the clock. */
const REST_MOST_MS = 20_000;
/** Of a hundred each: as many as a transaction holds the store for without others noticing. */
const PAGES_AT_ONCE = 10;
const KINDS: readonly Kind[] = ['products', 'customers', 'orders'];

/** Where a pull stands. */
type Place = { kind: Kind; cursor: string | null; since: string | null; began: string };
type Page = { pulled: Pulled; place: Place; next: Place | undefined };
/** Pages that came, and what ended the asking before the last. */
type Asked = { pages: Page[]; fault?: unknown };

type Asking = { adapter: Adapter; credentials: Credentials; signal: AbortSignal };

/** All that changed since the last pull. */
export async function pullAll(
  db: Db,
  accountId: number,
  shop: StoreFacts,
  asking: Asking,
): Promise<void> {
  const zone = await zoneOf(db, accountId, shop);
  let asked = await ask(asking, zone, placeOf(shop), Promise.resolve());
  for (;;) {
    const { pages, fault } = asked;
    const next = pages.at(-1)?.next;
    const taking = takeIn(db, accountId, shop.id, pages);
    const following = next && fault === undefined ? ask(asking, zone, next, taking) : undefined;
    const isThere = await taking.finally(() => following);
    if (fault !== undefined) throw fault;
    if (!following || !isThere) return;
    asked = await following;
  }
}

/** One page at least; more for as long as what came before is being taken in. Never rejects. */
async function ask(
  { adapter, credentials, signal }: Asking,
  zone: string,
  from: Place,
  taking: Promise<unknown>,
): Promise<Asked> {
  const pages: Page[] = [];
  let isTaken = false;
  const taken = () => {
    isTaken = true;
  };
  void taking.then(taken, taken);
  try {
    for (let place: Place | undefined = from; place; ) {
      if (signal.aborted) throw new JobInterrupted();
      const pulled = await adapter.pull(
        credentials,
        place.kind,
        { since: place.since ? new Date(place.since) : null, cursor: place.cursor, zone },
        AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]),
      );
      const next = nextPlace(place, pulled.next);
      pages.push({ pulled, place, next });
      if (next && pulled.waitMs)
        await sleep(Math.min(pulled.waitMs, REST_MOST_MS), undefined, { ref: false });
      if (isTaken || pages.length === PAGES_AT_ONCE) break;
      place = next;
    }
    return { pages };
  } catch (fault) {
    return { pages, fault };
  }
}

/** Where the last one was broken off; else from the last one's beginning, or from the beginning of all. */
function placeOf(shop: StoreFacts): Place {
  const kept = shop.cursors.place ? (JSON.parse(shop.cursors.place) as Place) : undefined;
  if (kept) return kept;
  const now = clock.now();
  const isReview = !shop.reviewed_at || now.getTime() - shop.reviewed_at.getTime() >= DAY_MS;
  const since = shop.synced_at
    ? new Date(shop.synced_at.getTime() - (isReview ? REVIEW_MS : OVERLAP_MS)).toISOString()
    : null;
  return { kind: 'products', cursor: null, since, began: now.toISOString() };
}

function nextPlace(place: Place, cursor: string | null): Place | undefined {
  if (cursor !== null) return { ...place, cursor };
  const kind = KINDS[KINDS.indexOf(place.kind) + 1];
  return kind && { ...place, kind, cursor: null };
}

/** All together; where that fails page by page, so that those before the one at fault are kept. */
async function takeIn(
  db: Db,
  accountId: number,
  storeId: number,
  pages: readonly Page[],
): Promise<boolean> {
  const take = (some: readonly Page[]) =>
    inTransaction(db, (tx) => takePages(tx, accountId, storeId, some));
  if (pages.length < 2) return take(pages);
  try {
    return await take(pages);
  } catch {
    for (const page of pages) if (!(await take([page]))) return false;
    return true;
  }
}

/** Pages and the place after them, together: nothing twice, nothing left out. False where the store is let go. */
async function takePages(
  tx: Tx,
  accountId: number,
  storeId: number,
  pages: readonly Page[],
): Promise<boolean> {
  const [first] = pages;
  if (!first) return true;
  const shop = await findStore(tx, accountId, storeId);
  if (!shop || shop.state === 'disconnected') return false;
  const products = pages.flatMap(({ pulled }) => pulled.products ?? []);
  const customers = pages.flatMap(({ pulled }) => pulled.customers ?? []);
  const orders = pages.flatMap(({ pulled }) => pulled.orders ?? []);
  const isFirst = first.place.since === null;
  if (products.length > 0) await upsertProducts(tx, accountId, shop, products);
  if (customers.length > 0)
    await upsertCustomers(
      tx,
      accountId,
      { store: shop, isTrusted: true, isQuiet: isFirst },
      customers,
    );
  await upsertOrders(tx, accountId, storeId, orders, isFirst ? 'import' : 'pull');
  // Locked at the end alone, so that whoever lets the store go waits for no page; what they said stands.
  const held = await lockStore(tx, accountId, storeId);
  if (!held || held.state === 'disconnected') return false;
  const { progress, settings } = held;
  const hosts = withHosts(
    settings.hosts,
    products.map(({ url }) => url),
  );
  const began = new Date(first.place.began);
  const next = pages.at(-1)?.next;
  const isReview = !shop.reviewed_at || began.getTime() - shop.reviewed_at.getTime() >= DAY_MS;
  await changeStore(
    tx,
    accountId,
    storeId,
    {
      state: next && held.state === 'connecting' ? 'connecting' : 'live',
      failing_since: null,
      failure: null,
      told_at: null,
      ...(hosts && { settings: { ...settings, hosts } }),
      cursors: next ? { place: JSON.stringify(next) } : {},
      ...(isFirst && {
        progress: {
          products: (progress.products ?? 0) + products.length,
          customers: (progress.customers ?? 0) + customers.length,
          orders: (progress.orders ?? 0) + orders.length,
        },
      }),
      ...(!next && {
        synced_at: began,
        due_at: new Date(clock.now().getTime() + HOUR_MS),
        ...(isReview && { reviewed_at: began }),
      }),
    },
    clock.now(),
  );
  return true;
}
