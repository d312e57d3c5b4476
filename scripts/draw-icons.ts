// Renders the icons of the installed app as PNG from the SVG files next to them: `node
// scripts/draw-icons.ts`, after one of the SVG files changed.
import { join } from 'node:path';
import sharp from 'sharp';

const FOLDER = join(import.meta.dirname, '../platform/web/public/icons');

const ICONS = [
  ['app.svg', 'app-192.png', 192],
  ['app.svg', 'app-512.png', 512],
  ['maskable.svg', 'maskable-192.png', 192],
  ['maskable.svg', 'maskable-512.png', 512],
  // iOS rounds the icon itself and shows transparent pixels as black.
  ['maskable.svg', 'apple-touch-icon.png', 180],
  // Android uses only the alpha channel of this icon.
  ['badge.svg', 'badge-96.png', 96],
] as const;

for (const [from, to, size] of ICONS) {
  await sharp(join(FOLDER, from), { density: 288 })
    .resize(size, size)
    .png({ compressionLevel: 9, palette: from !== 'badge.svg' })
    .toFile(join(FOLDER, to));
}
