// Completes addresses from a built-in list of the world's cities, without any network call. It
// knows cities, regions, countries and time zones, but no streets or postal codes: text before the
// city remains as the street. Data: GeoNames, CC BY 4.0.
import tzLookup from '@photostructure/tz-lookup';
import type { AddressProvider } from '#areas/accounts/server/address-provider.ts';
import { MAX_PREDICTIONS } from '#areas/accounts/shared.ts';
import { type Cities, type City, buildCities } from './cities.ts';
import { fold, foldedLength } from './fold-name.ts';

/** Maximum words and minimum characters of the searched part of a city's name. */
const MAX_WORDS = 5;
const MIN_LETTERS = 2;
/** Latin, Arabic and Persian, Chinese and Japanese commas. */
const COMMA = /[,،、，]/;
const commaIn = (locale: string) => (locale.startsWith('fa') ? '، ' : ', ');

export function openGazetteer(loadCities: () => Promise<Cities> = buildCities): AddressProvider {
  let opening: Promise<Cities> | undefined;
  const cities = () => {
    opening ??= loadCities().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  return {
    predict: async ({ input, locale }) => {
      const cityMatch = findCity(await cities(), input);
      const comma = commaIn(locale);
      return (cityMatch?.cities ?? []).map((city) => {
        const secondary = [city.region, countryName(city.country, locale)]
          .filter(Boolean)
          .join(comma);
        return {
          description: [cityMatch?.street, city.name, secondary].filter(Boolean).join(comma),
          place_id: `city:${city.number}`,
          structured_formatting: {
            main_text: city.name,
            main_text_matched_substrings: [
              { offset: 0, length: foldedLength(city.name, fold(cityMatch?.cityText ?? '')) },
            ],
            secondary_text: secondary,
          },
        };
      });
    },
    details: async ({ placeId, input }) => {
      const cityIndex = await cities();
      const city = cityIndex.get(Number(/^city:(\d{1,7})$/.exec(placeId)?.[1] ?? Number.NaN));
      if (!city) return undefined;
      return {
        address: streetBefore(cityIndex, input, city),
        city: city.name,
        state: city.region,
        zip_code: '',
        country: city.country,
        location: { lat: city.latitude, lng: city.longitude },
      };
    },
    timeZone: async ({ latitude, longitude }) => {
      try {
        const zone = tzLookup(latitude, longitude);
        new Intl.DateTimeFormat('en', { timeZone: zone });
        return { status: 'OK', time_zone_id: zone };
      } catch {
        return { status: 'ZERO_RESULTS', time_zone_id: null };
      }
    },
  };
}

interface AddressPlace {
  /** The text before the city's words. */
  street: string;
  cityText: string;
  cities: City[];
}

/**
 * Finds cities by the last words of a part between commas. Uses the last part with a match, and the
 * longest sequence of words that begins a city's name.
 */
function findCity(cities: Cities, input: string): AddressPlace | undefined {
  const segments = input.split(COMMA).map((segment) => segment.trim());
  for (let end = segments.length; end > 0; end--) {
    const lastSegment = segments[end - 1] ?? '';
    const words = lastSegment.split(/\s+/);
    for (
      let firstWord = Math.max(0, words.length - MAX_WORDS);
      firstWord < words.length;
      firstWord++
    ) {
      const phrase = words.slice(firstWord).join(' ');
      if (!/\p{L}/u.test(phrase[0] ?? '') || phrase.length < MIN_LETTERS) continue;
      const matches = cities.findByPrefix(phrase, MAX_PREDICTIONS);
      if (matches.length === 0) continue;
      const street = [...segments.slice(0, end - 1), words.slice(0, firstWord).join(' ')];
      const comma = commaIn(input.includes('،') ? 'fa' : '');
      return { street: street.filter(Boolean).join(comma), cityText: phrase, cities: matches };
    }
  }
  return undefined;
}

/**
 * Returns the input before the words that matched the city; the whole input if they do not match
 * its name.
 */
function streetBefore(cities: Cities, input: string, city: City): string {
  const cityMatch = findCity(cities, input);
  if (!cityMatch) return input.trim();
  const isCity = fold(city.name).startsWith(fold(cityMatch.cityText));
  return isCity ? cityMatch.street : input.trim();
}

function countryName(code: string, locale: string): string {
  return new Intl.DisplayNames(locale, { type: 'region', fallback: 'code' }).of(code) ?? code;
}
