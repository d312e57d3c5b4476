// Color arithmetic: contrast, and the dark mode equivalent of colors without an explicit dark
// color.
import type { Color } from './document.ts';

type Rgb = [number, number, number];

function parseRgb(color: Color): Rgb {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

function toHex(rgb: Rgb): Color {
  const hex = rgb.map((channel) => Math.round(channel).toString(16).padStart(2, '0'));
  return `#${hex.join('')}`;
}

/** Computes relative luminance (WCAG 2): 0 is black, 1 is white. */
export function computeLuminance(color: Color): number {
  const [r, g, b] = parseRgb(color).map((channel) => {
    const intensity = channel / 255;
    return intensity <= 0.03928 ? intensity / 12.92 : ((intensity + 0.055) / 1.055) ** 2.4;
  }) as Rgb;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Computes the contrast ratio (WCAG 2), 1 to 21; text needs 4.5, large text 3. */
export function computeContrast(color: Color, otherColor: Color): number {
  const [a, b] = [computeLuminance(color), computeLuminance(otherColor)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** Mixes `target` into a color; with the ratio 1, the result is `target`. */
export function mixColors(color: Color, target: Color, ratio: number): Color {
  const [a, b] = [parseRgb(color), parseRgb(target)];
  return toHex(a.map((channel, i) => channel + ((b[i] as number) - channel) * ratio) as Rgb);
}

/**
 * Returns the color if it is readable on the background; otherwise lightens or darkens it until it
 * is.
 */
export function ensureContrast(color: Color, background: Color, minContrast = 4.5): Color {
  const towards: Color = computeLuminance(background) < 0.35 ? '#ffffff' : '#000000';
  for (let ratio = 0; ratio < 1; ratio += 0.1) {
    const candidate = mixColors(color, towards, ratio);
    if (computeContrast(candidate, background) >= minContrast) return candidate;
  }
  return towards;
}

/** Turns a light background into a dark one of the same hue; dark backgrounds are unchanged. */
export function darkenColor(background: Color, darkest: Color): Color {
  if (computeLuminance(background) < 0.35) return background;
  return mixColors(darkest, background, 0.12);
}
