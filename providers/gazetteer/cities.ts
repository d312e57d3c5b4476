// Cities of the world with more than a thousand inhabitants, found by name prefix.
import { Worker } from 'node:worker_threads';
import type { CityIndex } from './build-index.ts';
import dividedRegions from './divided-regions.json' with { type: 'json' };
import { fold } from './fold-name.ts';
import regionNames from './regions.json' with { type: 'json' };

export interface City {
  /** Position in the index, stable for one version of the list. */
  number: number;
  name: string;
  country: string;
  /** Empty if the region's name is unknown. */
  region: string;
  population: number;
  latitude: number;
  longitude: number;
}

export interface Cities {
  /** Finds cities by name prefix, largest first. */
  findByPrefix: (prefix: string, max: number) => City[];
  get: (number: number) => City | undefined;
}

/** Names of regions by country and by code of the region. The key for Arabic names is `XX.Arab`. */
const REGIONS: Record<string, Record<string, string>> = regionNames;
/**
 * The new region of each city in a region that was divided since the list was created; '' if
 * unknown.
 */
const DIVIDED = new Map(
  Object.entries(dividedRegions).flatMap(([code, parts]) =>
    Object.entries(parts as Record<string, string[]>).flatMap(([region, cities]) =>
      cities.map((city): [string, string] => [`${code}.${city}`, region]),
    ),
  ),
);
/** Exceeds the population of every city. */
const MAX_PEOPLE = 1e9;
const isArabic = (name: string) => /\p{Script=Arabic}/u.test(name);

/** Builds the index in a worker thread, because that takes half a second of processor time. */
export async function buildCities(): Promise<Cities> {
  const worker = new Worker(new URL('./build-index.ts', import.meta.url));
  try {
    return createCities(
      await new Promise<CityIndex>((resolve, reject) => {
        worker.once('message', resolve);
        worker.once('error', reject);
        worker.once('exit', () =>
          reject(new Error('The worker thread ended without the list of places')),
        );
      }),
    );
  } finally {
    void worker.terminate();
  }
}

export function createCities(index: CityIndex): Cities {
  const names = new Lines(index.names);
  const foldedLines = new Lines(index.folded);
  const cityAt = (number: number): City | undefined => {
    if (!Number.isInteger(number) || number < 0 || number >= names.count) return undefined;
    const country = index.countries.slice(number * 2, number * 2 + 2);
    const code = index.regions[index.regionIndexes[number] ?? 0]?.slice(3) ?? '';
    const name = names.get(number);
    const regions = (isArabic(name) && REGIONS[`${country}.Arab`]) || REGIONS[country];
    return {
      number,
      name,
      country,
      region: DIVIDED.get(`${country}.${code}.${name}`) ?? regions?.[code] ?? '',
      population: index.populations[number] ?? 0,
      latitude: (index.coordinates[number * 2] ?? 0) / 1e5,
      longitude: (index.coordinates[number * 2 + 1] ?? 0) / 1e5,
    };
  };
  const isSameCity = (a: number, b: number) =>
    index.coordinates[a * 2] === index.coordinates[b * 2] &&
    index.coordinates[a * 2 + 1] === index.coordinates[b * 2 + 1];
  /**
   * Larger cities rank first. For input with diacritics, names with the same diacritics rank before
   * all others.
   */
  const rankFor = (prefix: string, plainPrefix: string) => {
    const typedPrefix = prefix.toLowerCase().normalize('NFC');
    const hasDiacritics = typedPrefix !== plainPrefix;
    return (number: number) =>
      (index.populations[number] ?? 0) +
      (hasDiacritics && names.get(number).toLowerCase().startsWith(typedPrefix) ? MAX_PEOPLE : 0);
  };
  return {
    get: cityAt,
    findByPrefix: (prefix, max) => {
      const needle = fold(prefix);
      const start = foldedLines.findFirst(needle);
      const end = foldedLines.findFirst(`${needle}\uFFFF`);
      const weightOf = rankFor(prefix, needle);
      const bestNumbers: number[] = [];
      for (let number = start; number < end; number++) {
        const weight = weightOf(number);
        if (bestNumbers.length >= max && weight <= weightOf(bestNumbers[max - 1] ?? 0)) continue;
        // A city may be found under several of its names.
        const duplicate = bestNumbers.findIndex((bestNumber) => isSameCity(bestNumber, number));
        if (duplicate !== -1 && weightOf(bestNumbers[duplicate] ?? 0) >= weight) continue;
        if (duplicate !== -1) bestNumbers.splice(duplicate, 1);
        const position = bestNumbers.findIndex((bestNumber) => weightOf(bestNumber) < weight);
        bestNumbers.splice(position === -1 ? bestNumbers.length : position, 0, number);
        bestNumbers.length = Math.min(bestNumbers.length, max);
      }
      return bestNumbers.flatMap((number) => cityAt(number) ?? []);
    },
  };
}

/** Many short lines as one string with the offsets of their beginnings. */
class Lines {
  readonly count: number;
  private readonly text: string;
  private readonly starts: Uint32Array;

  constructor(text: string) {
    const starts = [0];
    for (
      let lineEnd = text.indexOf('\n');
      lineEnd !== -1;
      lineEnd = text.indexOf('\n', lineEnd + 1)
    )
      starts.push(lineEnd + 1);
    this.text = text;
    this.count = text === '' ? 0 : starts.length;
    this.starts = Uint32Array.from([...starts, text.length + 1]);
  }

  get(number: number): string {
    return this.text.slice(this.starts[number], (this.starts[number + 1] ?? 0) - 1);
  }

  /** Returns the first line that does not sort before the prefix. */
  findFirst(prefix: string): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.get(middle) < prefix) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
