// Draws the image of a countdown: days, hours and minutes in boxes, or a text after the end. Each
// process draws an image once per minute at most, unless the cache has dropped it. The fonts are
// bundled because a server may have none installed.
import { createRequire } from 'node:module';
import sharp, { type OverlayOptions } from 'sharp';
import { LOCALE } from '#platform/languages.ts';
import { FairTurns } from '#platform/server/work/fair-turns.ts';
import { splitCountdown } from '../../countdown-parts.ts';
import { COUNTDOWN_SIZE } from '../document/countdown.ts';
import { escapeHtml } from '../html/character-references.ts';
import type { SignedCountdown } from './countdown-address.ts';

const MINUTE_MS = 60_000;
const GAP_PX = 24;
const RADIUS_PX = 20;
const ARABIC = /\p{Script=Arabic}/u;
/** Text of only spaces and control characters cannot be drawn. */
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;
/** Maximum number of cached images, including those of past minutes; each has about 10 KB. */
const MAX_CACHED = 500;

/**
 * Draws one image at a time, so that opens of a large campaign do not occupy the threads that other
 * work needs.
 */
const drawQueue = new FairTurns({ maxConcurrent: 1, maxPerKey: 1, maxWaiting: 50 });
const cache = new Map<string, Promise<Buffer>>();

const require = createRequire(import.meta.url);
const FONTS = {
  latin: {
    name: 'Inter',
    file: require.resolve('@expo-google-fonts/inter/600SemiBold/Inter_600SemiBold.ttf'),
  },
  arabic: {
    name: 'Vazirmatn',
    file: require.resolve('@expo-google-fonts/vazirmatn/600SemiBold/Vazirmatn_600SemiBold.ttf'),
  },
};

export type DrawnCountdown = {
  bytes: Buffer;
  /**
   * Seconds that the image may be cached: until the minute ends, or 3600 if the countdown is over.
   */
  maxAgeSeconds: number;
};

/** @throws AppError too_many_requests if too many images wait to be drawn */
export async function drawCountdown(
  countdown: SignedCountdown,
  now: Date,
): Promise<DrawnCountdown> {
  const isOver = now >= countdown.end;
  const minute = Math.floor(now.getTime() / MINUTE_MS);
  const { accountId, ...parameters } = countdown;
  const key = JSON.stringify([accountId, parameters, isOver || minute]);
  let drawing = cache.get(key);
  if (!drawing) {
    drawing = drawQueue.run(accountId, () => draw(countdown, isOver ? undefined : minute));
    drawing.catch(() => cache.delete(key));
    cache.set(key, drawing);
    for (const oldest of cache.keys()) {
      if (cache.size <= MAX_CACHED) break;
      cache.delete(oldest);
    }
  }
  const maxAgeSeconds = isOver
    ? 3600
    : Math.ceil(((minute + 1) * MINUTE_MS - now.getTime()) / 1000);
  return { bytes: await drawing, maxAgeSeconds };
}

async function draw(countdown: SignedCountdown, minute: number | undefined): Promise<Buffer> {
  const { width, height } = COUNTDOWN_SIZE;
  const { boxColor, textColor, endText, language } = countdown;
  const isText = minute === undefined && VISIBLE.test(endText);
  const count = isText ? 1 : 3;
  const boxWidth = (width - GAP_PX * (count - 1)) / count;
  const rectangles = Array.from(
    { length: count },
    (_, i) =>
      `<rect x="${i * (boxWidth + GAP_PX)}" width="${boxWidth}" height="${height}" rx="${RADIUS_PX}" fill="${boxColor}"/>`,
  );
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${rectangles.join('')}</svg>`;
  const overlays: OverlayOptions[] = [];
  if (isText) {
    overlays.push(await drawText(endText, textColor, { x: width / 2, y: height / 2, size: 64 }));
  } else {
    // Rounded up to whole minutes, so that zeros never appear before the end.
    const minutesLeft =
      minute === undefined ? 0 : Math.ceil(countdown.end.getTime() / MINUTE_MS) - minute;
    const parts = splitCountdown(minutesLeft, LOCALE[language]);
    // Persian is read from right to left, so days are drawn at the right.
    if (language === 'fas') parts.reverse();
    for (const [i, { value, label }] of parts.entries()) {
      const x = i * (boxWidth + GAP_PX) + boxWidth / 2;
      overlays.push(await drawText(value, textColor, { x, y: 112, size: 128 }));
      overlays.push(await drawText(label, textColor, { x, y: 222, size: 40 }));
    }
  }
  return sharp(Buffer.from(svg)).composite(overlays).png({ palette: true }).toBuffer();
}

/** Returns an overlay with the text, centered at a point and no larger than the image. */
async function drawText(
  text: string,
  color: string,
  { x, y, size }: { x: number; y: number; size: number },
): Promise<OverlayOptions> {
  const font = FONTS[ARABIC.test(text) ? 'arabic' : 'latin'];
  const maxSize = {
    width: COUNTDOWN_SIZE.width - 2 * GAP_PX,
    height: COUNTDOWN_SIZE.height - 2 * GAP_PX,
  };
  const { data, info } = await sharp({
    text: {
      text: `<span foreground="${color}">${escapeHtml(text)}</span>`,
      font: `${font.name} Semi-Bold ${size}`,
      fontfile: font.file,
      width: maxSize.width,
      align: 'center',
      wrap: 'word-char',
      dpi: 72,
      rgba: true,
    },
  })
    .resize({ ...maxSize, fit: 'inside', withoutEnlargement: true })
    .png()
    .toBuffer({ resolveWithObject: true });
  const leftEdge = Math.max(0, Math.round(x - info.width / 2));
  return { input: data, left: leftEdge, top: Math.max(0, Math.round(y - info.height / 2)) };
}
