// Bulk actions on items, and the folder, labels and archive state by which lists can be filtered.
// The area of the items provides the calls at its own paths.
import type { ListMeta } from '#platform/contract.ts';
import { decodeId, encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { invalid } from '#platform/server/errors.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import {
  type Actor,
  type Caller,
  type Handlers,
  type Route,
  createRoutes,
} from '#platform/server/http/serve.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { type BulkResponse, itemCalls, type ItemPlacement } from '../items-contract.ts';
import type { BulkAction, ItemKind } from '../shared.ts';
import { commentRoutes, type CommentOwner } from './comments.ts';
import { presentLabel } from './folders.ts';
import { retainFolder, retainLabel } from './folders.sql.ts';
import * as store from './items.sql.ts';

/** Provided by the area of one kind of items. */
export interface ItemOwner extends CommentOwner {
  kind: ItemKind;
  /** Returns the given ids whose items exist and were not deleted. */
  filterExisting(db: Reader, accountId: number, ids: readonly number[]): Promise<number[]>;
  /** Returns the id of the copy; `formatCopyTitle` converts the original's title to the copy's. */
  duplicate(
    tx: Tx,
    caller: Actor,
    id: number,
    formatCopyTitle: (title: string) => string,
  ): Promise<string>;
  /** Deletes a draft; returns false for any other item, which is not deleted. */
  deleteDraft(tx: Tx, accountId: number, id: number): Promise<boolean>;
}

type ItemCalls = ReturnType<typeof itemCalls<'/{base}'>>;

export function itemRoutes(owner: ItemOwner): Route[] {
  const { area, kind, base } = owner;
  const handlers: Handlers<Pick<ItemCalls, 'bulk'>> = {
    bulk: async ({ tx, caller, body }) => {
      const result = await applyBulk(tx, owner, caller, body);
      for (const id of body.ids) sendChangeHint(tx, caller.accountId, kind, id);
      return result;
    },
  };
  // The types are the same for every base path.
  const { bulk } = itemCalls(base as '/{base}', kind);
  return [
    ...createRoutes<Pick<ItemCalls, 'bulk'>>(area, { bulk }, handlers, {}, 'folders'),
    ...commentRoutes(owner),
  ];
}

type BulkRequest = {
  action: BulkAction;
  ids: readonly number[];
  folder?: number | null | undefined;
  label?: number | undefined;
};

async function applyBulk(
  tx: Tx,
  owner: ItemOwner,
  caller: Caller,
  { action, ids: requestedIds, folder, label }: BulkRequest,
): Promise<BulkResponse> {
  const { kind } = owner;
  const { accountId } = caller;
  const ids = [...new Set(requestedIds)].sort((a, b) => a - b);
  const existing = new Set(await owner.filterExisting(tx, accountId, ids));
  if (ids.some((id) => !existing.has(id))) throw invalid({ ids: ['errors.unknown_id'] });
  const allApplied = { ids: ids.map((id) => encodeId(kind, id)), skipped: 0 };
  switch (action) {
    case 'archive':
    case 'unarchive':
      await store.archiveItems(tx, accountId, kind, ids, action === 'archive' ? clock.now() : null);
      return allApplied;
    case 'move':
      await moveItems(tx, accountId, kind, ids, folder);
      return allApplied;
    case 'add_label':
    case 'remove_label': {
      await requireLabel(tx, accountId, label);
      const change = action === 'add_label' ? store.addLabel : store.removeLabel;
      await change(tx, accountId, kind, ids, label as number);
      return allApplied;
    }
    case 'duplicate':
      return { ids: await duplicateItems(tx, owner, caller, ids), skipped: 0 };
    case 'delete_drafts':
      return deleteDrafts(tx, owner, accountId, ids);
  }
}

async function moveItems(
  tx: Tx,
  accountId: number,
  kind: ItemKind,
  ids: readonly number[],
  folder: number | null | undefined,
): Promise<void> {
  if (folder === undefined) throw invalid({ folder: ['errors.fields.required'] });
  if (folder !== null && !(await retainFolder(tx, accountId, kind, folder))) {
    throw invalid({ folder: ['errors.unknown_id'] });
  }
  await store.moveItems(tx, accountId, kind, ids, folder);
}

async function requireLabel(tx: Tx, accountId: number, label: number | undefined): Promise<void> {
  if (label === undefined) throw invalid({ label: ['errors.fields.required'] });
  if (!(await retainLabel(tx, accountId, label))) throw invalid({ label: ['errors.unknown_id'] });
}

async function duplicateItems(
  tx: Tx,
  owner: ItemOwner,
  caller: Caller,
  ids: readonly number[],
): Promise<string[]> {
  const text = serverTexts('folders', caller.language);
  const formatCopyTitle = (title: string) => text('copyOf', { title });
  const copies: string[] = [];
  for (const id of ids) copies.push(await owner.duplicate(tx, caller, id, formatCopyTitle));
  const numbers = copies.map((copy) => decodeId(owner.kind, copy) as number);
  await store.copyPlaces(tx, caller.accountId, owner.kind, ids, numbers);
  return copies;
}

async function deleteDrafts(
  tx: Tx,
  owner: ItemOwner,
  accountId: number,
  ids: readonly number[],
): Promise<BulkResponse> {
  const deletedIds: string[] = [];
  for (const id of ids) {
    if (await owner.deleteDraft(tx, accountId, id)) deletedIds.push(encodeId(owner.kind, id));
  }
  return { ids: deletedIds, skipped: ids.length - deletedIds.length };
}

type ItemPage<Row> = { data: Row[]; meta?: ListMeta | undefined };

/** Adds to each row of a list its folder, its labels and whether it is archived. */
export async function attachPlaces<Row extends { id: string }>(
  db: Reader,
  accountId: number,
  kind: ItemKind,
  page: ItemPage<Row>,
): Promise<ItemPage<Row & { place: ItemPlacement }>> {
  const ids = page.data.map(({ id }) => decodeId(kind, id) as number);
  if (ids.length === 0) return { ...page, data: [] };
  const places = await store.findPlaces(db, accountId, kind, ids);
  const labels = await store.listItemLabels(db, accountId, kind, ids);
  const placeOf = new Map(places.map((place) => [place.item_id, place]));
  const labelsOf = Map.groupBy(labels, (label) => label.item_id);
  const data = page.data.map((row, index) => ({
    ...row,
    place: presentPlace(placeOf.get(ids[index] as number), labelsOf.get(ids[index] as number)),
  }));
  return { ...page, data };
}

function presentPlace(
  place: store.ItemPlaceRow | undefined,
  labels: readonly store.ItemLabelRow[] = [],
): ItemPlacement {
  const isInFolder = place !== undefined && place.folder_id !== null;
  return {
    folder: isInFolder
      ? { id: encodeId('folder', place.folder_id as number), title: place.title ?? '' }
      : null,
    labels: labels.map(presentLabel),
    is_archived: place !== undefined && place.archived_at !== null,
  };
}

/** Converts the parameters of a list for `placeConditions`. */
export function readPlaceFilter(query: {
  folder?: number | undefined;
  label?: number | undefined;
  archived?: 'true' | 'false' | undefined;
}): store.PlaceFilter {
  const { folder, label, archived } = query;
  return { folder, label, isArchived: archived === undefined ? undefined : archived === 'true' };
}
