// The address of a list: page, sort, direction and search words, as every list of the product has them.
import { useLocalStorage } from '@mantine/hooks';
import { useMatches } from '@tanstack/react-router';
import { useMemo } from 'react';
import { type AddressOf, int, oneOf, type SetAddress, text, useAddress } from './address.ts';
import { useMaybeSession } from './session.ts';

export type Direction = 'asc' | 'desc';

interface ListShape {
  page: ReturnType<typeof int>;
  order: ReturnType<typeof text>;
  direction: ReturnType<typeof oneOf<Direction>>;
  search: ReturnType<typeof text>;
}

export interface ListOptions<More extends object> {
  /** What may be sorted by; the first is the default unless `order` says otherwise. */
  sorts: readonly string[];
  order?: string;
  direction?: Direction;
  /** Further parameters: `{ status: oneOf([...], 'all') }`. Declare it outside the component. */
  more?: More;
}

export interface ListAddress<More extends object> {
  /** Orders that the list may be sorted by, for its sort control. */
  sorts: readonly string[];
  values: AddressOf<ListShape & More>;
  /** Changes the address; anything but the page itself goes back to page 1. */
  set: SetAddress<ListShape & More>;
  /** What the list call takes: page, order, direction and search where there is one. */
  query: { page: number; order: string; direction: Direction; search?: string; limit?: number };
  /** So many rows to a page from now on, here and for this user. */
  chooseSize: (size: number) => void;
  /** The user chose the size, which must stay changeable however few rows are left. */
  isSizeChosen: boolean;
  isFiltered: boolean;
}

export function useListAddress<More extends object = Record<never, never>>(
  options: ListOptions<More>,
): ListAddress<More> {
  const { sorts, more } = options;
  const order = options.order ?? sorts[0] ?? 'created';
  const direction = options.direction ?? 'desc';
  const shape = useMemo(
    () => ({
      page: int(1),
      order: oneOf<string>(sorts, order),
      direction: oneOf<Direction>(['asc', 'desc'], direction),
      search: text(),
      ...(more as More),
    }),
    // The options are constants of the screen.
    [sorts, order, direction, more],
  );
  const [read, write] = useAddress(shape);
  const [size, keepSize] = usePageSize();
  const values = read as unknown as AddressOf<ListShape & More>;
  const basic = read as unknown as AddressOf<ListShape>;
  const set: SetAddress<ListShape & More> = (change, how) =>
    write({ ...('page' in change ? {} : { page: 1 }), ...change } as never, how);
  const query = {
    page: basic.page,
    order: basic.order,
    direction: basic.direction,
    ...(basic.search ? { search: basic.search } : {}),
    ...(size === undefined ? {} : { limit: size }),
  };
  const chooseSize = (chosen: number) => {
    keepSize(chosen);
    if (basic.page !== 1) write({ page: 1 } as never, { replace: true });
  };
  const isSizeChosen = size !== undefined;
  return {
    sorts,
    values,
    set,
    query,
    chooseSize,
    isSizeChosen,
    isFiltered: isFiltered(shape, read),
  };
}

/** What a page may have; without a choice each list has the size that suits it. */
export const PAGE_SIZES = [10, 25, 50, 100] as const;

/** Kept on this device, for each user and list. */
function usePageSize(): [number | undefined, (size: number) => void] {
  const list = useMatches({ select: (matches) => matches.at(-1)?.fullPath ?? '' });
  const user = useMaybeSession()?.user.id ?? '';
  const [kept, keep] = useLocalStorage<number>({ key: `sendloom.rows.${user}.${list}` });
  return [PAGE_SIZES.find((size) => size === kept), keep];
}

function isFiltered(shape: object, values: object): boolean {
  const quiet = new Set(['page', 'order', 'direction']);
  const parameters = shape as Record<string, { write: (value: unknown) => string | undefined }>;
  return Object.entries(values).some(
    ([name, value]) => !quiet.has(name) && Boolean(parameters[name]?.write(value)),
  );
}
