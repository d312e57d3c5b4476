// The folder, the label and the archive in the address of a list.
import { flag, text } from '#platform/web/api/address.ts';

/** Further parameters of `useListAddress`. */
export const placeParameters = { folder: text(), label: text(), archived: flag() };

export type PlaceValues = { folder: string; label: string; archived: boolean };

/**
 * Returns the parameters of the list's call. A list shows either the archive or the items outside
 * of it.
 */
export function toPlaceQuery({ folder, label, archived }: PlaceValues) {
  return {
    archived: archived ? ('true' as const) : ('false' as const),
    ...(folder ? { folder } : {}),
    ...(label ? { label } : {}),
  };
}

/** The part of a list's address that folders and labels read and write. */
export interface PlacedList {
  values: PlaceValues;
  set: (change: Partial<PlaceValues>) => void;
}
