// Interface of providers of address autocompletion. The built-in gazetteer and Google Places
// implement it; main/ chooses one. Shapes and statuses are those of the maps service in the
// specification (section 7, 'Maps service').
import type { AddressDetails, AddressPrediction, TimeZoneAnswer } from '../address-contract.ts';

export interface Place {
  latitude: number;
  longitude: number;
}

export interface AddressProvider {
  /** At most five, the most likely first; an empty list where nothing matches. */
  predict: (query: {
    input: string;
    /** BCP 47; country names are localized in it. */
    locale: string;
    /** Groups the requests of one completion, for services that bill per session. */
    session: string | undefined;
  }) => Promise<AddressPrediction[]>;
  /**
   * Undefined if the place does not exist. `input` is the typed text, which may supply the
   * street.
   */
  details: (query: {
    placeId: string;
    input: string;
    locale: string;
    session: string | undefined;
  }) => Promise<AddressDetails | undefined>;
  timeZone: (place: Place, at: Date) => Promise<TimeZoneAnswer>;
}
