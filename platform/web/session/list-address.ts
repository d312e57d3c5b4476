// The parameters of a list in the address: page, sort order, direction and search, which have the
// same names in all lists, and any further parameters that only this list has.
import { useLocalStorage } from '@mantine/hooks';
import { useMatches } from '@tanstack/react-router';
import { useMemo } from 'react';
import {
  type SearchParamsOf,
  int,
  parseOneOf,
  type SetSearchParams,
  text,
  useSearchParams,
} from '../api/address.ts';
import { useOptionalSession } from './session.ts';

export type Direction = 'asc' | 'desc';

interface ListShape {
  page: ReturnType<typeof int>;
  order: ReturnType<typeof text>;
  direction: ReturnType<typeof parseOneOf<Direction>>;
  search: ReturnType<typeof text>;
}

export interface ListAddressOptions<More extends object> {
  /** Sort orders; the first is the default unless `order` names another. */
  sorts: readonly string[];
  order?: string;
  direction?: Direction;
  /** Further parameters: `{ status: oneOf([...], 'all') }`. Declare it outside the component. */
  more?: More;
}

export interface ListAddress<More extends object> {
  /** Sort orders, for the list's sort control. */
  sorts: readonly string[];
  values: SearchParamsOf<ListShape & More>;
  /** Changes the address. A change that does not set the page returns to page 1. */
  set: SetSearchParams<ListShape & More>;
  /**
   * Parameters of the list call: page, order and direction; search if any; the chosen page size, if
   * any, as `limit`.
   */
  query: { page: number; order: string; direction: Direction; search?: string; limit?: number };
  /** Sets the page size for this list and user. */
  setPageSize: (size: number) => void;
  /** True if the user chose the page size; it must then remain changeable even with few rows. */
  isSizeChosen: boolean;
  isFiltered: boolean;
}

export function useListAddress<More extends object = Record<never, never>>(
  options: ListAddressOptions<More>,
): ListAddress<More> {
  const { sorts, more } = options;
  const order = options.order ?? sorts[0] ?? 'created';
  const direction = options.direction ?? 'desc';
  const shape = useMemo(
    () => ({
      page: int(1),
      order: parseOneOf<string>(sorts, order),
      direction: parseOneOf<Direction>(['asc', 'desc'], direction),
      search: text(),
      ...(more as More),
    }),
    // The options are constants of the screen.
    [sorts, order, direction, more],
  );
  const [read, write] = useSearchParams(shape);
  const [size, storeSize] = usePageSize();
  const values = read as unknown as SearchParamsOf<ListShape & More>;
  const basic = read as unknown as SearchParamsOf<ListShape>;
  const set: SetSearchParams<ListShape & More> = (change, how) =>
    write({ ...('page' in change ? {} : { page: 1 }), ...change } as never, how);
  const query = {
    page: basic.page,
    order: basic.order,
    direction: basic.direction,
    ...(basic.search ? { search: basic.search } : {}),
    ...(size === undefined ? {} : { limit: size }),
  };
  const setPageSize = (newSize: number) => {
    storeSize(newSize);
    if (basic.page !== 1) write({ page: 1 } as never, { replace: true });
  };
  const isSizeChosen = size !== undefined;
  return {
    sorts,
    values,
    set,
    query,
    setPageSize,
    isSizeChosen,
    isFiltered: isFiltered(shape, read),
  };
}

/** Available page sizes; without a choice each list uses its own default. */
export const PAGE_SIZES = [10, 25, 50, 100] as const;

/** Returns the page size, stored on this device per user and list. */
function usePageSize(): [number | undefined, (size: number) => void] {
  const list = useMatches({ select: (matches) => matches.at(-1)?.fullPath ?? '' });
  const user = useOptionalSession()?.user.id ?? '';
  const [storedSize, storeRows] = useLocalStorage<number>({
    key: `sendloom.rows.${user}.${list}`,
    // The size is read during the first render. Otherwise the list would be requested twice, first
    // with its default size.
    getInitialValueInEffect: false,
  });
  return [PAGE_SIZES.find((size) => size === storedSize), storeRows];
}

function isFiltered(shape: object, values: object): boolean {
  const quiet = new Set(['page', 'order', 'direction']);
  const parameters = shape as Record<string, { write: (value: unknown) => string | undefined }>;
  return Object.entries(values).some(
    ([name, value]) => !quiet.has(name) && Boolean(parameters[name]?.write(value)),
  );
}
