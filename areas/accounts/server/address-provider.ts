// What completes a postal address while it is typed. The built-in gazetteer and Google Places
// implement it; main/ chooses. Shapes and statuses are those of the maps service that the
// specification names (section 7, 'Maps service').
import type { AddressDetails, AddressPrediction, TimeZoneAnswer } from '../address-contract.ts';

export interface Place {
  latitude: number;
  longitude: number;
}

export interface AddressProvider {
  /** At most five, the likeliest first; nothing found is an empty list. */
  predict: (query: {
    input: string;
    /** BCP 47; names of countries are written in it. */
    locale: string;
    /** Joins the calls of one completion, for services that bill it so. */
    session: string | undefined;
  }) => Promise<AddressPrediction[]>;
  /** Undefined where no such place is. `input` is what was typed, of which a street may be kept. */
  details: (query: {
    placeId: string;
    input: string;
    locale: string;
    session: string | undefined;
  }) => Promise<AddressDetails | undefined>;
  timeZone: (place: Place, at: Date) => Promise<TimeZoneAnswer>;
}
