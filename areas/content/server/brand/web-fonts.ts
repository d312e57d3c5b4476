// Web fonts served by this installation: the server fetches them once from their source and stores
// them, so readers of forms and emails contact no third party.
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { files } from '#platform/server/files/files.ts';
import { log } from '#platform/server/log.ts';
import { FONTS, type Font, toFontSlug } from '../../fonts.ts';

/** A face of a font: one weight for one range of characters. */
export type FontFace = {
  weight: number;
  /** Range of characters as in CSS: `U+0000-00FF,U+0131`. */
  range: string;
  /** Its file in the folder of the family. */
  file: string;
};

const TIME_LIMIT_MS = 8_000;
const MAX_SHEET_BYTES = 262_144;
const MAX_FILE_BYTES = 2_097_152;
/** Retry interval after a failure of the source. */
const AWAY_MS = 60_000;
const FILE = /^[a-z0-9-]{1,100}\.woff2$/;

let source: string | undefined;

/** @param address URL of a service with the API of Bunny Fonts; undefined: no web fonts */
export function configureFonts(address: string | undefined): void {
  source = address?.replace(/\/$/, '');
}

export const findWebFontBySlug = (slug: string): Font | undefined =>
  FONTS.find((font) => font.kind === 'web' && toFontSlug(font.name) === slug);

/** Returns the faces of the web font with this slug, or none if there is no such web font. */
export async function listWebFontFaces(slug: string): Promise<FontFace[]> {
  const font = findWebFontBySlug(slug);
  return font ? findFontFaces(font) : [];
}

const pendingFaces = new Map<string, Promise<FontFace[]>>();
const unavailableUntil = new Map<string, number>();

/**
 * Returns the faces of all weights of a family, or none if they are not stored and the source does
 * not deliver them.
 */
export async function findFontFaces(font: Font): Promise<FontFace[]> {
  const slug = toFontSlug(font.name);
  let faces = pendingFaces.get(slug);
  if (!faces) {
    faces = readFaces(font, slug);
    pendingFaces.set(slug, faces);
  }
  let fontFaces: FontFace[] = [];
  try {
    fontFaces = await faces;
  } finally {
    // A failure is not cached, so that a later call retries.
    if (fontFaces.length === 0) pendingFaces.delete(slug);
  }
  return fontFaces;
}

async function readFaces(font: Font, slug: string): Promise<FontFace[]> {
  const key = `fonts/${slug}/faces.json`;
  const cached = await files.get(key);
  if (cached) return JSON.parse((await buffer(cached)).toString('utf8')) as FontFace[];
  const sheet = await fetchFont(`/css?family=${slug}:${font.weights.join(',')}`, MAX_SHEET_BYTES);
  const faces = sheet ? parseFaces(sheet.toString('utf8')) : [];
  if (faces.length > 0) await files.put(key, Readable.from([JSON.stringify(faces)]));
  return faces;
}

/** Parses only weight, range and file name of the upright faces in a style sheet. */
export function parseFaces(sheet: string): FontFace[] {
  return [...sheet.matchAll(/@font-face\s*\{([^{}]*)\}/g)].flatMap(([, rules = '']) => {
    if (/font-style:\s*italic/.test(rules)) return [];
    const weight = Number(/font-weight:\s*(\d{3})\b/.exec(rules)?.[1]);
    const range = /unicode-range:\s*([U+0-9A-F?,\s-]+)/i.exec(rules)?.[1]?.replace(/\s/g, '') ?? '';
    const file = /url\(["']?[^()"']*\/([^/()"']+\.woff2)["']?\)/.exec(rules)?.[1] ?? '';
    return FILE.test(file) && weight >= 100 && weight <= 900 ? [{ weight, range, file }] : [];
  });
}

/** Bytes of a font file; undefined for an unknown file, or if the source does not deliver it. */
export async function readFontFile(font: Font, file: string): Promise<Buffer | undefined> {
  if (!FILE.test(file)) return undefined;
  const slug = toFontSlug(font.name);
  const key = `fonts/${slug}/${file}`;
  const cached = await files.get(key);
  if (cached) return buffer(cached);
  // Only files that the family's style sheet names are fetched, so that requests cannot make the
  // server fetch other URLs.
  if (!(await findFontFaces(font)).some((face) => face.file === file)) return undefined;
  const bytes = await fetchFont(`/${slug}/files/${file}`, MAX_FILE_BYTES);
  if (bytes?.subarray(0, 4).toString('latin1') !== 'wOF2') return undefined;
  await files.put(key, Readable.from([bytes]));
  return bytes;
}

async function fetchFont(path: string, maxBytes: number): Promise<Buffer | undefined> {
  if (!source || (unavailableUntil.get(path) ?? 0) > Date.now()) return undefined;
  try {
    const response = await fetch(source + path, {
      signal: AbortSignal.timeout(TIME_LIMIT_MS),
      // The source selects the format by User-Agent; this one gets the newest format.
      headers: { 'user-agent': 'Mozilla/5.0 Chrome/120.0' },
    });
    const bytes = response.ok ? Buffer.from(await response.arrayBuffer()) : undefined;
    if (bytes && bytes.length <= maxBytes) return bytes;
    log.warn('Could not fetch a web font', { path, status: response.status });
  } catch (error) {
    log.warn('Could not fetch a web font', { path, reason: (error as Error).message });
  }
  unavailableUntil.set(path, Date.now() + AWAY_MS);
  return undefined;
}
