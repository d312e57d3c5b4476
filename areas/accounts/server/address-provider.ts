// The interface of providers of address autocompletion. The built-in gazetteer and Google Places
// implement it, and main/ chooses one. Shapes and statuses are those of ../address-contract.ts.
import type { AddressDetails, AddressPrediction, TimeZoneResponse } from '../address-contract.ts';

export interface Coordinates {
  latitude: number;
  longitude: number;
}

export interface AddressProvider {
  /** At most five predictions, the most likely first; an empty list if nothing matches. */
  predict: (query: {
    input: string;
    /** A BCP 47 tag; country names are in this language. */
    locale: string;
    /** Groups the requests of one completion, for services that bill per session. */
    session: string | undefined;
  }) => Promise<AddressPrediction[]>;
  /**
   * Undefined if the place does not exist. The street may come from `input`, the text that the user
   * typed.
   */
  details: (query: {
    placeId: string;
    input: string;
    locale: string;
    session: string | undefined;
  }) => Promise<AddressDetails | undefined>;
  timeZone: (coordinates: Coordinates, at: Date) => Promise<TimeZoneResponse>;
}
