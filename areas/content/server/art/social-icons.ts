// Images drawn by the product: icons of social networks, and the video placeholder. Mail clients do
// not support SVG, so the images are rendered as PNG, once per process; their URLs are permanent.
import sharp from 'sharp';
import { NETWORKS, type SocialNetwork, SOCIAL_STYLES, type SocialStyle } from '../../document.ts';
import { ICON_PATHS } from './social-icon-paths.ts';

const BRAND: Record<SocialNetwork, string> = {
  facebook: '#1877f2',
  instagram: '#d62976',
  x: '#0f1419',
  youtube: '#e60000',
  tiktok: '#111111',
  linkedin: '#0a66c2',
  pinterest: '#bd081c',
  threads: '#111111',
  bluesky: '#0a7aff',
  mastodon: '#563acc',
  whatsapp: '#128c4b',
  telegram: '#1c86c7',
  snapchat: '#2b2b2b',
  spotify: '#148a42',
  github: '#24292f',
  website: '#4a5060',
  email: '#4a5060',
  phone: '#4a5060',
};

type IconShape = 'round' | 'soft' | 'square';
const SHAPES: readonly IconShape[] = ['round', 'soft', 'square'];
/** Pixels: twice the largest displayed size. */
const SIDE = 128;
const RADIUS: Record<IconShape, number> = { round: 64, soft: 28, square: 0 };

export function buildIconSource(
  network: SocialNetwork,
  iconStyle: SocialStyle,
  shape: IconShape,
): string {
  return `/i/s/${iconStyle}-${shape}/${network}.png`;
}

const images = new Map<string, Promise<Buffer>>();

/** Returns the icon of a `buildIconSource` URL, or undefined for an unknown URL. */
export function drawIcon(style: string, file: string): Promise<Buffer> | undefined {
  const separator = style.lastIndexOf('-');
  const iconStyle = SOCIAL_STYLES.find((socialLook) => socialLook === style.slice(0, separator));
  const shape = SHAPES.find((shape) => shape === style.slice(separator + 1));
  const network = NETWORKS.find((network) => `${network}.png` === file);
  if (iconStyle === undefined || shape === undefined || network === undefined) return undefined;
  return drawOnce(`${style}/${file}`, () => iconSvg(network, iconStyle, shape));
}

/** Draws the placeholder for a video without an image. */
export function drawPlayPlaceholder(): Promise<Buffer> {
  return drawOnce('play', () => PLAY_PLACEHOLDER);
}

/** Draws a play icon in the center of the image. */
export async function overlayPlayIcon(imageBytes: Buffer): Promise<Buffer> {
  const image = sharp(imageBytes);
  const { width, height } = await image.metadata();
  const side = Math.round(Math.min(width, height) * 0.24);
  const icon = await sharp(Buffer.from(PLAY_ICON)).resize(side, side).png().toBuffer();
  return image
    .composite([{ input: icon, gravity: 'centre' }])
    .flatten({ background: '#ffffff' })
    .jpeg({ quality: 84, mozjpeg: true })
    .toBuffer();
}

/** Returns the URL of the image with the play icon; external URLs are unchanged. */
export function buildPlaySource(src: string): string {
  if (src === '') return '/i/play.png';
  return src.replace(/^(\/i\/[A-Za-z0-9]+\/[a-z0-9]{32})\.(png|jpg|gif|webp)$/, '$1-play.jpg');
}

function drawOnce(name: string, svg: () => string): Promise<Buffer> {
  const pending = images.get(name);
  if (pending) return pending;
  const drawing = sharp(Buffer.from(svg())).png({ palette: true }).toBuffer();
  images.set(name, drawing);
  return drawing;
}

function iconSvg(network: SocialNetwork, iconStyle: SocialStyle, shape: IconShape): string {
  const isBare = iconStyle === 'dark-sign' || iconStyle === 'light-sign';
  const ground = { brand: BRAND[network], dark: '#23262d', light: '#ffffff' }[iconStyle as 'brand'];
  const ink = { brand: '#ffffff', dark: '#ffffff', light: '#23262d' }[iconStyle as 'brand'];
  const stroke = isBare ? (iconStyle === 'dark-sign' ? '#23262d' : '#ffffff') : ink;
  const inset = isBare ? 8 : 30;
  const scale = (SIDE - inset * 2) / 24;
  const background = isBare
    ? ''
    : `<rect width="${SIDE}" height="${SIDE}" rx="${RADIUS[shape]}" fill="${ground}"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${SIDE}" height="${SIDE}">${background}<g transform="translate(${inset} ${inset}) scale(${scale})" fill="none" stroke="${stroke}" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"><path d="${ICON_PATHS[network]}"/></g></svg>`;
}

const PLAY_ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" width="240" height="240" viewBox="0 0 240 240"><circle cx="120" cy="120" r="116" fill="#14161c" fill-opacity="0.72" stroke="#ffffff" stroke-opacity="0.9" stroke-width="6"/><path d="M98 76 L172 120 L98 164 Z" fill="#ffffff"/></svg>';

const PLAY_PLACEHOLDER =
  '<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="675" viewBox="0 0 1200 675"><defs><linearGradient id="g" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="#2b3046"/><stop offset="1" stop-color="#171923"/></linearGradient></defs><rect width="1200" height="675" fill="url(#g)"/><circle cx="600" cy="337" r="84" fill="#ffffff" fill-opacity="0.14" stroke="#ffffff" stroke-width="5"/><path d="M575 292 L650 337 L575 382 Z" fill="#ffffff"/></svg>';
