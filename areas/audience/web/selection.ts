// The selection of rows in the list: single rows, or all rows of all pages.
import { useState } from 'react';

/** The selection in the format of bulk calls. */
export type SubscriberSelection = {
  subscribers?: string[];
  conditions?: string;
  search?: string;
  all?: true;
};

export interface ListSelection {
  ids: ReadonlySet<string>;
  isAll: boolean;
  count: number;
  requestBody: SubscriberSelection;
  selectIds: (ids: ReadonlySet<string>) => void;
  selectAll: () => void;
  clear: () => void;
}

/** Selects among the rows of `list`; the selection is cleared when the filter or search changes. */
export function useSubscriberSelection(
  list: { filter: string; search: string },
  total: number,
): ListSelection {
  const key = `${list.filter}\n${list.search}`;
  const [state, setState] = useState({
    key,
    ids: new Set<string>() as ReadonlySet<string>,
    isAll: false,
  });
  const { ids, isAll } = state.key === key ? state : { ids: new Set<string>(), isAll: false };
  const { filter, search } = list;
  const allChosen: SubscriberSelection = {
    ...(filter ? { conditions: filter } : {}),
    ...(search ? { search } : {}),
    ...(filter || search ? {} : { all: true as const }),
  };
  return {
    ids,
    isAll,
    count: isAll ? total : ids.size,
    requestBody: isAll ? allChosen : { subscribers: [...ids] },
    selectIds: (next) => setState({ key, ids: next, isAll: false }),
    selectAll: () => setState({ key, ids, isAll: true }),
    clear: () => setState({ key, ids: new Set(), isAll: false }),
  };
}
