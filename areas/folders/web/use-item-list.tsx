// Additions to the table of a list of items: selection with bulk actions, the filter by folder and
// label, and actions for each row.
import { type ReactNode, Suspense, useState } from 'react';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { RowSelection } from '#platform/web/ui/data-table.tsx';
import type { RowAction } from '#platform/web/ui/row-menu.tsx';
import type { ItemPlacement } from '../items-contract.ts';
import { type ItemPlace, useItemActions, useItemDialogs } from './acts.ts';
import { ArchiveLink } from './archive-link.tsx';
import { PlaceFilter } from './place-filter.tsx';
import type { PlacedList } from './placement-parameters.ts';

const BulkBar = lazyWithRetry(() => import('./bulk-bar.tsx'));

type ItemRow = { id: string; place: ItemPlacement };

interface ItemList<Item extends ItemRow> {
  selection: RowSelection;
  bulk: ReactNode;
  filter: ReactNode;
  /** The link from an empty list to the archive. */
  archiveLink: ReactNode;
  actions: RowAction<Item>[];
}

export function useItemList<Item extends ItemRow>(
  place: ItemPlace,
  rows: readonly Item[] | undefined,
  list: PlacedList,
): ItemList<Item> {
  const t = useTexts('folders');
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const actions = useItemActions(place);
  const dialogs = useItemDialogs(place);
  // Rows that a filter or another page hides are not part of the selection.
  const selectedIds = (rows ?? []).filter(({ id }) => ids.has(id)).map(({ id }) => id);
  const { archived: isArchive } = list.values;
  return {
    selection: { ids: new Set(selectedIds), onChange: setIds },
    bulk:
      selectedIds.length > 0 ? (
        <Suspense>
          <BulkBar
            place={place}
            ids={selectedIds}
            isArchive={isArchive}
            clear={() => setIds(new Set())}
          />
        </Suspense>
      ) : undefined,
    filter: <PlaceFilter kind={place.kind} list={list} />,
    archiveLink: <ArchiveLink base={place.base} showArchive={() => list.set({ archived: true })} />,
    actions: [
      { label: t('acts.move'), run: ({ id }) => void dialogs.move([id]) },
      { label: t('acts.addLabel'), run: ({ id }) => void dialogs.addLabel([id]) },
      {
        label: t('acts.archive'),
        isHidden: ({ place: { is_archived: isArchived } }) => isArchived,
        run: ({ id }) => void actions.archive([id]),
      },
      {
        label: t('acts.unarchive'),
        isHidden: ({ place: { is_archived: isArchived } }) => !isArchived,
        run: ({ id }) => void actions.unarchive([id]),
      },
    ],
  };
}
