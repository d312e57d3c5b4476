// Asks what an address may be while it is typed, and what a chosen one stands for.
import { client } from '#platform/web/api.ts';
import type { Suggestion } from '#platform/web/ui/suggest-field.tsx';
import type { AddressDetails, AddressPrediction, addressCalls } from '../../address-contract.ts';

const api = client<typeof addressCalls>();

export interface AddressSuggestion extends Suggestion {
  prediction: AddressPrediction;
  /** What was typed when it was suggested. */
  input: string;
}

/** The calls of one completion carry one name: services that bill by completion ask for it. */
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

  /** Ends the completion: the next one has a name of its own. */
  async details({ prediction, input }: AddressSuggestion): Promise<AddressDetails> {
    const { session } = this;
    this.session = crypto.randomUUID();
    const query = { place_id: prediction.place_id, input, session };
    return (await api('GET /client-api/api/addresses/details', { query })).data;
  }
}

/** The zone of a place, only where its look-up answered OK. */
export async function zoneOf({
  lat,
  lng,
}: AddressDetails['location']): Promise<string | undefined> {
  const { data } = await api('GET /client-api/api/addresses/time_zone', { query: { lat, lng } });
  return data.status === 'OK' ? (data.time_zone_id ?? undefined) : undefined;
}
