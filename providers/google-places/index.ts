// Implements address completion with Google Places (New) and the Time Zone API. Converts responses
// to the shapes of the address contract.
// https://developers.google.com/maps/documentation/places/web-service/place-autocomplete
import { z } from 'zod';
import type { AddressProvider } from '#areas/accounts/server/address-provider.ts';
import { MAX_PREDICTIONS } from '#areas/accounts/shared.ts';
import { AppError } from '#platform/server/errors.ts';
import { log } from '#platform/server/log.ts';

export interface GooglePlacesOptions {
  key: string;
  /** For tests: other hosts. */
  placesUrl?: string;
  mapsUrl?: string;
}

const TIME_LIMIT_MS = 4_000;

const MatchedText = z.object({
  text: z.string(),
  matches: z
    .array(z.object({ startOffset: z.number().default(0), endOffset: z.number() }))
    .default([]),
});

const Suggestions = z.object({
  suggestions: z
    .array(
      z.object({
        placePrediction: z
          .object({
            placeId: z.string(),
            text: z.object({ text: z.string() }),
            structuredFormat: z.object({
              mainText: MatchedText,
              secondaryText: MatchedText.optional(),
            }),
          })
          .optional(),
      }),
    )
    .default([]),
});

const PlaceResponse = z.object({
  addressComponents: z
    .array(z.object({ longText: z.string(), shortText: z.string(), types: z.array(z.string()) }))
    .default([]),
  location: z.object({ latitude: z.number(), longitude: z.number() }),
});

const ZoneResult = z.object({ status: z.string(), timeZoneId: z.string().optional() });

type Component = z.infer<typeof PlaceResponse>['addressComponents'][number];

export function createGooglePlacesProvider(options: GooglePlacesOptions): AddressProvider {
  const { key } = options;
  const places = options.placesUrl ?? 'https://places.googleapis.com';
  const maps = options.mapsUrl ?? 'https://maps.googleapis.com';
  return {
    predict: async ({ input, locale, session }) => {
      const response = await fetchJson(`${places}/v1/places:autocomplete`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-goog-api-key': key },
        body: JSON.stringify({ input, languageCode: locale, sessionToken: session }),
      });
      return Suggestions.parse(response)
        .suggestions.flatMap(({ placePrediction }) => placePrediction ?? [])
        .slice(0, MAX_PREDICTIONS)
        .map(({ placeId, text, structuredFormat: { mainText, secondaryText } }) => ({
          description: text.text,
          place_id: placeId,
          structured_formatting: {
            main_text: mainText.text,
            main_text_matched_substrings: mainText.matches.map(({ startOffset, endOffset }) => ({
              offset: startOffset,
              length: endOffset - startOffset,
            })),
            secondary_text: secondaryText?.text ?? '',
          },
        }));
    },
    details: async ({ placeId, locale, session }) => {
      const query = new URLSearchParams({ languageCode: locale });
      if (session) query.set('sessionToken', session);
      const response = await fetchJson(
        `${places}/v1/places/${encodeURIComponent(placeId)}?${query}`,
        {
          headers: { 'x-goog-api-key': key, 'x-goog-fieldmask': 'addressComponents,location' },
        },
      );
      if (response === undefined) return undefined;
      const { addressComponents, location } = PlaceResponse.parse(response);
      return {
        ...addressOf(addressComponents),
        location: { lat: location.latitude, lng: location.longitude },
      };
    },
    timeZone: async ({ latitude, longitude }, instant) => {
      const query = new URLSearchParams({
        location: `${latitude},${longitude}`,
        timestamp: String(Math.floor(instant.getTime() / 1000)),
        key,
      });
      const response = ZoneResult.parse(await fetchJson(`${maps}/maps/api/timezone/json?${query}`));
      if (response.status === 'OK' && response.timeZoneId) {
        return { status: 'OK', time_zone_id: response.timeZoneId };
      }
      const isWithoutResult = response.status === 'ZERO_RESULTS';
      if (!isWithoutResult)
        log.warn('Time zone API rejected the request', { status: response.status });
      return { status: isWithoutResult ? 'ZERO_RESULTS' : 'UNAVAILABLE', time_zone_id: null };
    },
  };
}

/**
 * Composes an address from its components. The type of the city's component depends on the country.
 */
function addressOf(components: readonly Component[]) {
  const findComponent = (...types: string[]) => {
    for (const type of types) {
      const component = components.find((component) => component.types.includes(type));
      if (component) return component;
    }
    return undefined;
  };
  const longTextOf = (...types: string[]) => findComponent(...types)?.longText ?? '';
  const street = longTextOf('route');
  const number = longTextOf('street_number');
  const country = findComponent('country')?.shortText.toUpperCase() ?? '';
  return {
    address: (isNumberFirst(country) ? [number, street] : [street, number])
      .filter(Boolean)
      .join(' '),
    city: longTextOf(
      'locality',
      'postal_town',
      'sublocality_level_1',
      'administrative_area_level_3',
    ),
    state: longTextOf('administrative_area_level_1', 'administrative_area_level_2'),
    zip_code: longTextOf('postal_code'),
    country,
  };
}

const NUMBER_FIRST = new Set(['US', 'CA', 'GB', 'IE', 'AU', 'NZ', 'FR', 'LU', 'ZA', 'IN', 'SG']);
const isNumberFirst = (country: string) => NUMBER_FIRST.has(country);

/**
 * Returns the response as JSON; undefined if a GET request results in 404 or 400. Throws
 * `unavailable` for other errors and timeouts.
 */
async function fetchJson(url: string, init: RequestInit = {}): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(url, { ...init, signal: AbortSignal.timeout(TIME_LIMIT_MS) });
  } catch (error) {
    log.warn('Google Maps did not respond', { reason: String(error) });
    throw new AppError('unavailable');
  }
  if (response.ok) return await response.json();
  if (response.status === 404 || response.status === 400) {
    // For a GET request, the place's ID belongs to another provider, or the place was removed.
    await response.body?.cancel();
    if (init.method !== 'POST') return undefined;
  }
  // The key is in the URL of the time zone call, so the URL is never logged.
  log.warn('Google Maps rejected the request', { status: response.status });
  throw new AppError('unavailable');
}
