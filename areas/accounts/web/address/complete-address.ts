// Requests predictions for a typed address, and the details of a chosen one.
import { client } from '#platform/web/api/api.ts';
import type { Suggestion } from '#platform/web/ui/suggest-field.tsx';
import type { AddressDetails, AddressPrediction, addressCalls } from '../../address-contract.ts';

const api = client<typeof addressCalls>();

export interface AddressSuggestion extends Suggestion {
  prediction: AddressPrediction;
  /** The text that had been typed when the address was suggested. */
  input: string;
}

/** The requests of one completion share a session token, because some services bill by session. */
export class AddressCompletion {
  private session = crypto.randomUUID();

  async suggest(input: string, signal: AbortSignal): Promise<AddressSuggestion[]> {
    const { data } = await api('GET /client-api/api/addresses/predictions', {
      query: { input, session: this.session },
      signal,
    });
    return data.map((prediction) => ({
      id: prediction.place_id,
      value: prediction.structured_formatting.main_text,
      prediction,
      input,
    }));
  }

  /** Reads the details and ends the session so that the next completion gets a new token. */
  async details({ prediction, input }: AddressSuggestion): Promise<AddressDetails> {
    const { session } = this;
    this.session = crypto.randomUUID();
    const query = { place_id: prediction.place_id, input, session };
    return (await api('GET /client-api/api/addresses/details', { query })).data;
  }
}

/** Returns the time zone of a place, or undefined if the service does not return one. */
export async function fetchTimeZone({
  lat,
  lng,
}: AddressDetails['location']): Promise<string | undefined> {
  const { data } = await api('GET /client-api/api/addresses/time_zone', { query: { lat, lng } });
  return data.status === 'OK' ? (data.time_zone_id ?? undefined) : undefined;
}
