// Images of the templates, drawn by the product so that its emails load no third-party images.
// Names are permanent because sent emails refer to them.
import sharp from 'sharp';
import { SCENES } from './art-scenes.ts';
import { OBJECTS } from './art-things.ts';

/** `svg` is drawn on `width` by `height` pixels. */
export type Art = { width: number; height: number; svg: string };

const ART: Record<string, Art> = { ...SCENES, ...OBJECTS };
const images = new Map<string, Promise<Buffer>>();

/** Returns undefined for an unknown name. */
export function drawArt(name: string): Promise<Buffer> | undefined {
  const art = Object.hasOwn(ART, name) ? ART[name] : undefined;
  if (art === undefined) return undefined;
  let drawing = images.get(name);
  if (!drawing) {
    const { width, height, svg } = art;
    const document = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${svg}</svg>`;
    drawing = sharp(Buffer.from(document))
      .png({ palette: true, quality: 90, effort: 7 })
      .toBuffer();
    images.set(name, drawing);
  }
  return drawing;
}

/** Returns an image for a document; `name` must be the name of a built-in image. */
export function createArtImage(name: string, alt: string) {
  const art = ART[name];
  if (art === undefined) throw new Error(`Unknown illustration ${name}`);
  return { src: `/i/art/${name}.png`, alt, width: art.width, height: art.height };
}
