// Web fonts from our own host: fetched from their source once, by this server, and kept. Whoever sees a form or opens
// a mail asks nobody else for them.
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { files } from '#platform/server/files.ts';
import { log } from '#platform/server/log.ts';
import { FONTS, type Font, fontSlug } from '../fonts.ts';

/** A cut of a font: one weight for one range of letters. */
export type FontFace = {
  weight: number;
  /** As CSS writes it: `U+0000-00FF,U+0131`. */
  range: string;
  /** Its file, below the family's folder. */
  file: string;
};

const TIME_LIMIT_MS = 8_000;
const SHEET_MOST = 262_144;
const FILE_MOST = 2_097_152;
/** A source that was away is asked again only after this. */
const AWAY_MS = 60_000;
const FILE = /^[a-z0-9-]{1,100}\.woff2$/;

let source: string | undefined;

/** @param address of a service that speaks as Bunny Fonts do; undefined: no web fonts */
export function configureFonts(address: string | undefined): void {
  source = address?.replace(/\/$/, '');
}

export const webFontOf = (slug: string): Font | undefined =>
  FONTS.find((font) => font.kind === 'web' && fontSlug(font.name) === slug);

/** The cuts of a family by its name in addresses; none of what is no web font. */
export async function webFontFaces(slug: string): Promise<FontFace[]> {
  const font = webFontOf(slug);
  return font ? facesOf(font) : [];
}

const known = new Map<string, Promise<FontFace[]>>();
const awayUntil = new Map<string, number>();

/** All weights that the product offers of a family; none where its source cannot be asked. */
export async function facesOf(font: Font): Promise<FontFace[]> {
  const slug = fontSlug(font.name);
  let faces = known.get(slug);
  if (!faces) {
    faces = readFaces(font, slug);
    known.set(slug, faces);
  }
  const found = await faces;
  // Asked again later.
  if (found.length === 0) known.delete(slug);
  return found;
}

async function readFaces(font: Font, slug: string): Promise<FontFace[]> {
  const key = `fonts/${slug}/faces.json`;
  const kept = await files.get(key);
  if (kept) return JSON.parse((await buffer(kept)).toString('utf8')) as FontFace[];
  const sheet = await fetched(`/css?family=${slug}:${font.weights.join(',')}`, SHEET_MOST);
  const faces = sheet ? parseFaces(sheet.toString('utf8')) : [];
  if (faces.length > 0) await files.put(key, Readable.from([JSON.stringify(faces)]));
  return faces;
}

/** Only what we understand of a style sheet: weight, range and the name of a file. */
export function parseFaces(sheet: string): FontFace[] {
  return [...sheet.matchAll(/@font-face\s*\{([^{}]*)\}/g)].flatMap(([, rules = '']) => {
    if (/font-style:\s*italic/.test(rules)) return [];
    const weight = Number(/font-weight:\s*(\d{3})\b/.exec(rules)?.[1]);
    const range = /unicode-range:\s*([U+0-9A-F?,\s-]+)/i.exec(rules)?.[1]?.replace(/\s/g, '') ?? '';
    const file = /url\(["']?[^()"']*\/([^/()"']+\.woff2)["']?\)/.exec(rules)?.[1] ?? '';
    return FILE.test(file) && weight >= 100 && weight <= 900 ? [{ weight, range, file }] : [];
  });
}

/** The font's own bytes; undefined where no such file is. */
export async function fontFile(font: Font, file: string): Promise<Buffer | undefined> {
  if (!FILE.test(file)) return undefined;
  const slug = fontSlug(font.name);
  const key = `fonts/${slug}/${file}`;
  const kept = await files.get(key);
  if (kept) return buffer(kept);
  // Only what its own sheet names: nobody makes us fetch anything else.
  if (!(await facesOf(font)).some((face) => face.file === file)) return undefined;
  const bytes = await fetched(`/${slug}/files/${file}`, FILE_MOST);
  if (bytes?.subarray(0, 4).toString('latin1') !== 'wOF2') return undefined;
  await files.put(key, Readable.from([bytes]));
  return bytes;
}

async function fetched(path: string, most: number): Promise<Buffer | undefined> {
  if (!source || (awayUntil.get(path) ?? 0) > Date.now()) return undefined;
  try {
    const answer = await fetch(source + path, {
      signal: AbortSignal.timeout(TIME_LIMIT_MS),
      // Sheets name the newest format to browsers that know it.
      headers: { 'user-agent': 'Mozilla/5.0 Chrome/120.0' },
    });
    const bytes = answer.ok ? Buffer.from(await answer.arrayBuffer()) : undefined;
    if (bytes && bytes.length <= most) return bytes;
    log.warn('Could not fetch a web font', { path, status: answer.status });
  } catch (error) {
    log.warn('Could not fetch a web font', { path, error: (error as Error).message });
  }
  awayUntil.set(path, Date.now() + AWAY_MS);
  return undefined;
}
