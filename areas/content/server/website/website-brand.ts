// The appearance of a business's website for its emails: name, color, logo and an image.
import sharp from 'sharp';
import { AppError } from '#platform/server/errors.ts';
import type { Color } from '../../document.ts';
import { fetchPublic } from './fetch-public.ts';
import { extractPageColor, extractPageProfile } from '../thread.ts';
import { isVivid } from './page-color.ts';

export type WebsiteProfile = {
  /** URL after redirects. */
  url: string;
  name: string;
  color: Color | undefined;
  /**
   * PNG that fits into three times the size of a logo in an email. `isLight`: visible only on a
   * dark background.
   */
  logo: { bytes: Buffer; isLight: boolean } | undefined;
  /** JPEG of at most twice the width of an email. */
  image: Buffer | undefined;
};

const TIME_LIMIT_MS = 8000;
const MAX_PAGE = 1_500_000;
const MAX_SHEET = 600_000;
const MAX_PICTURE = 4_000_000;
const MAX_PIXELS = 25_000_000;
const DRAW_SECONDS = 3;
const LOGO = { width: 480, height: 160 };
const WIDE = { width: 1200, minWidth: 400 };

/**
 * Returns undefined if no page responds or parsing exceeds the time limit. Details that cannot be
 * read are left out.
 */
export async function profileWebsite(address: string): Promise<WebsiteProfile | undefined> {
  try {
    return await readWebsite(address);
  } catch (error) {
    if (error instanceof AppError && error.code === 'document_too_slow') return undefined;
    throw error;
  }
}

async function readWebsite(address: string): Promise<WebsiteProfile | undefined> {
  const deadline = Date.now() + TIME_LIMIT_MS;
  const page = await fetchPublic(address, {
    deadline,
    maxBytes: MAX_PAGE,
    accept: 'text/html',
  });
  if (!page || !/html|xml/.test(page.type)) return undefined;
  const pageProfile = await extractPageProfile(page.body.toString('utf8'), page.url);
  const fetch = (url: string, maxBytes: number, accept: string) =>
    fetchPublic(url, { deadline, maxBytes, accept });
  const [sheets, logo, picture] = await Promise.all([
    Promise.all(pageProfile.styleSheetUrls.map((url) => fetch(url, MAX_SHEET, 'text/css'))),
    findFirstLogo(pageProfile.logoUrls, (url) => fetch(url, MAX_PICTURE, 'image/*')),
    pageProfile.image ? fetch(pageProfile.image, MAX_PICTURE, 'image/*') : undefined,
  ]);
  const css = [pageProfile.css, ...sheets.map((sheet) => sheet?.body.toString('utf8') ?? '')].join(
    '\n',
  );
  return {
    url: page.url,
    name: pageProfile.name,
    color: (await extractPageColor(pageProfile.theme, css)) ?? logo?.color,
    logo,
    image: picture && (await padToWide(picture.body)),
  };
}

type Logo = { bytes: Buffer; isLight: boolean; color: Color | undefined };

async function findFirstLogo(
  addresses: readonly string[],
  fetch: (url: string) => Promise<{ body: Buffer } | undefined>,
): Promise<Logo | undefined> {
  for (const address of addresses) {
    const candidate = await fetch(address);
    const logo = candidate && (await renderLogo(candidate.body));
    if (logo) return logo;
  }
  return undefined;
}

/** Converts an image to a logo; undefined if it cannot be decoded or is too small. */
async function renderLogo(bytes: Buffer): Promise<Logo | undefined> {
  try {
    const options = { limitInputPixels: MAX_PIXELS, density: isSvg(bytes) ? 200 : 72 };
    const { data, info } = await sharp(bytes, options)
      .timeout({ seconds: DRAW_SECONDS })
      .resize({ ...LOGO, fit: 'inside', withoutEnlargement: true })
      .png()
      .toBuffer({ resolveWithObject: true });
    if (info.width < 24 || info.height < 16) return undefined;
    const { meanLightness, dominantColor } = await measureColors(data);
    return {
      bytes: data,
      isLight: meanLightness > 225,
      color: isVivid(dominantColor) ? dominantColor : undefined,
    };
  } catch {
    return undefined;
  }
}

const isSvg = (bytes: Buffer) => /<svg[\s>]/i.test(bytes.subarray(0, 2000).toString('utf8'));

/**
 * Measures the mean lightness (0 to 255) and the dominant color of the opaque pixels. Vivid colors
 * count four times toward the dominant color.
 */
async function measureColors(
  png: Buffer,
): Promise<{ meanLightness: number; dominantColor: Color }> {
  const raw = await sharp(png).ensureAlpha().resize(64, 64, { fit: 'inside' }).raw().toBuffer();
  const channelSums = [0, 0, 0];
  let pixelCount = 0;
  const counts = new Map<Color, number>();
  for (let offset = 0; offset < raw.length; offset += 4) {
    if ((raw[offset + 3] as number) < 128) continue;
    pixelCount++;
    const channels = [0, 1, 2].map((i) => raw[offset + i] as number);
    for (const i of [0, 1, 2])
      channelSums[i] = (channelSums[i] as number) + (channels[i] as number);
    const hex = channels.map((channel) => Math.min(255, Math.round(channel / 16) * 16));
    const color: Color = `#${hex.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
    counts.set(color, (counts.get(color) ?? 0) + (isVivid(color) ? 4 : 1));
  }
  const [dominant = '#000000' as Color] = [...counts].toSorted((a, b) => b[1] - a[1])[0] ?? [];
  return {
    meanLightness: pixelCount
      ? channelSums.reduce((total, channel) => total + channel, 0) / pixelCount / 3
      : 255,
    dominantColor: dominant,
  };
}

async function padToWide(bytes: Buffer): Promise<Buffer | undefined> {
  try {
    const image = sharp(bytes, { limitInputPixels: MAX_PIXELS });
    const { width } = await image.metadata();
    if (width < WIDE.minWidth || isSvg(bytes)) return undefined;
    return await image
      .timeout({ seconds: DRAW_SECONDS })
      .resize({ width: WIDE.width, withoutEnlargement: true })
      .flatten({ background: '#ffffff' })
      .jpeg({ quality: 82 })
      .toBuffer();
  } catch {
    return undefined;
  }
}
