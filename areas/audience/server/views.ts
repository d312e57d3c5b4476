// Saved views of the list of subscribers, which every user of the account can see and change.
import { eraseAddressesInFilter } from '#areas/segments/server/index.ts';
import { eraseAddressesIn } from '#platform/server/erasure/addresses.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import { type Route, createRoutes } from '#platform/server/http/serve.ts';
import { MAX_VIEWS } from '../shared.ts';
import { calls, type SubscriberView } from '../views-contract.ts';
import * as store from './views.sql.ts';

type ViewSettings = Omit<SubscriberView, 'id'>;

export const viewRoutes: Route[] = createRoutes('audience', calls, {
  listViews: async ({ tx, caller }) => (await store.listViews(tx, caller.accountId)).map(present),
  createView: ({ tx, caller, body }) => createView(tx, caller.accountId, body),
  changeView: ({ tx, caller, params, body }) => changeView(tx, caller.accountId, params.id, body),
  deleteView: async ({ tx, caller, params }) => {
    if (!(await store.deleteView(tx, caller.accountId, params.id))) throw notFound();
  },
});

async function createView(
  tx: Tx,
  accountId: number,
  settings: ViewSettings,
): Promise<SubscriberView> {
  const views = await store.listViews(tx, accountId);
  if (views.length >= MAX_VIEWS) throw new AppError('too_many_views');
  const row = await store.insertView(tx, accountId, listChanges(settings), clock.now());
  if (!row) throw createTitleTakenError();
  return present(row);
}

async function changeView(
  tx: Tx,
  accountId: number,
  id: number,
  settings: ViewSettings,
): Promise<SubscriberView> {
  const changes = listChanges(settings);
  const views = await store.listViews(tx, accountId);
  const hasTitle = (view: store.ViewRow) => view.title_key === changes.title_key;
  if (views.some((view) => view.id !== id && hasTitle(view))) throw createTitleTakenError();
  const row = await store.updateView(tx, accountId, id, changes, clock.now());
  if (!row) throw notFound();
  return present(row);
}

const createTitleTakenError = () =>
  new AppError('view_title_taken', { errors: { title: ['audience:errors.view_title_taken'] } });

const listChanges = ({
  title,
  filter,
  sort,
  direction,
  columns,
}: ViewSettings): store.ViewChanges => ({
  title,
  title_key: title.toLowerCase(),
  filter,
  sort,
  direction,
  columns,
});

/**
 * Handles `subscriber.erased`: removes the addresses from the titles and filters of views. Except
 * for the erased subscribers, the filters match the same subscribers as before.
 */
export async function eraseFromViews(
  tx: Tx,
  { accountId, addresses }: { accountId: number; addresses: readonly string[] },
): Promise<void> {
  const views = await store.listViews(tx, accountId);
  const takenKeys = new Set(views.map((view) => view.title_key));
  for (const view of views) {
    const filter = eraseAddressesInFilter(view.filter, addresses);
    const erasedTitle = eraseAddressesIn(view.title, addresses);
    if (filter === view.filter && erasedTitle === view.title) continue;
    takenKeys.delete(view.title_key);
    const title = findFreeTitle(erasedTitle, view.id, takenKeys);
    takenKeys.add(title.toLowerCase());
    const settings = present({ ...view, title, filter });
    await store.updateView(tx, accountId, view.id, listChanges(settings), clock.now());
  }
}

/** Appends the view's id to the title until the title is unique. */
function findFreeTitle(title: string, id: number, takenKeys: ReadonlySet<string>): string {
  return takenKeys.has(title.toLowerCase())
    ? findFreeTitle(`${title} ${id}`, id, takenKeys)
    : title;
}

function present({ id, title, filter, sort, direction, columns }: store.ViewRow): SubscriberView {
  return {
    id: encodeId('subscriber_view', id),
    title,
    filter,
    sort: sort as SubscriberView['sort'],
    direction: direction as SubscriberView['direction'],
    columns,
  };
}
