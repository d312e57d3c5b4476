// Loads a form's web fonts from our own host: only the subsets that it needs. The bytes are fetched
// instead of referenced by URL, so that pages with a strict content security policy neither block
// them nor log errors. Prefixed names leave the page's text unaffected.
import { embeddedFontName, type WebFont } from '../shared/fonts.ts';

type FontFile = { weight: number; range: string; file: string };

/** Returns whether a CSS unicode-range (`U+0-FF,U+131`) contains one of these characters. */
export function coversRange(range: string, codePoints: ReadonlySet<number>): boolean {
  if (range === '') return true;
  return range.split(',').some((rangeText) => {
    const [from = '', to = from] = rangeText.trim().replace(/^U\+/i, '').split('-');
    const first = Number.parseInt(from.replaceAll('?', '0'), 16);
    const last = Number.parseInt(to.replaceAll('?', 'F'), 16);
    for (const codePoint of codePoints) if (codePoint >= first && codePoint <= last) return true;
    return false;
  });
}

export async function loadFonts(
  base: string,
  fonts: readonly WebFont[],
  text: string,
  page: Document = document,
): Promise<void> {
  // The subsets with `a` and `0` contain most characters that visitors type.
  const codePoints = new Set([...`${text}a0`].map((character) => character.codePointAt(0) ?? 0));
  await Promise.all(fonts.map((font) => loadFont(base, font, codePoints, page)));
}

const requested = new WeakMap<Document, Set<string>>();

async function loadFont(
  base: string,
  { name, slug, weights }: WebFont,
  codePoints: ReadonlySet<number>,
  page: Document,
): Promise<void> {
  const folder = `${base}/i/fonts/${slug}`;
  const response = await fetch(`${folder}.json?w=${weights.join(',')}`, { credentials: 'omit' });
  const faces = response.ok ? ((await response.json()) as FontFile[]) : [];
  const requestedFonts = requested.get(page) ?? new Set();
  requested.set(page, requestedFonts);
  await Promise.all(
    faces
      .filter(({ range, file }) => coversRange(range, codePoints) && !requestedFonts.has(file))
      .map(async ({ weight, range, file }) => {
        requestedFonts.add(file);
        const fontResponse = await fetch(`${folder}/${file}`, { credentials: 'omit' });
        if (!fontResponse.ok) return;
        const face = new FontFace(embeddedFontName(name), await fontResponse.arrayBuffer(), {
          weight: String(weight),
          ...(range ? { unicodeRange: range } : {}),
        });
        page.fonts.add(await face.load());
      }),
  );
}
