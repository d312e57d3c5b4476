// Main color of a website: its theme color, or else the most frequent color in its style sheets.
// Colors of buttons and of custom properties named after the brand have a higher weight.
import { computeLuminance } from '../../colors.ts';
import type { Color } from '../../document.ts';

/**
 * Weight added for a color in a brand property or a button. Each occurrence of a color counts 1.
 */
const NAMED_WEIGHT = 12;
/** A custom property or a background, with the start of its value. */
const DECLARATION = /(?<![\w-])(--[\w-]{1,80}|background(?:-color)?)\s{0,9}:\s{0,9}([^;}]{1,60})/gi;
const BRAND = /^--.*(?:primary|brand|accent|main)/i;
const BUTTON = /button|btn|cta/i;
const COLOR =
  /#([0-9a-f]{6}|[0-9a-f]{3})\b|rgba?\(\s{0,9}(\d{1,3})[\s,]{1,9}(\d{1,3})[\s,]{1,9}(\d{1,3})\s{0,9}[,)/ ]/gi;

/** Finds the page's color; returns undefined if it uses only black, white and gray. */
export function findPageColor(theme: string, css: string): Color | undefined {
  const [declared] = listColors(theme);
  if (declared && isVivid(declared)) return declared;
  const counts = new Map<Color, number>();
  const count = (color: Color, weight: number) => {
    if (isVivid(color)) counts.set(color, (counts.get(color) ?? 0) + weight);
  };
  for (const color of listColors(css)) count(color, 1);
  for (const value of listBrandColors(css)) {
    const [color] = listColors(value);
    if (color) count(color, NAMED_WEIGHT);
  }
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0];
}

/**
 * Yields the first background of each button rule, and the values of custom properties that are
 * named after the brand.
 */
function* listBrandColors(css: string): Generator<string> {
  for (const rule of css.split('}')) {
    const opening = rule.lastIndexOf('{');
    const isButton = BUTTON.test(rule.slice(rule.lastIndexOf('{', opening - 1) + 1, opening));
    let backgrounds = 0;
    for (const [, name = '', value = ''] of rule.matchAll(DECLARATION)) {
      if (name.startsWith('--') ? BRAND.test(name) : isButton && backgrounds++ === 0) yield value;
    }
  }
}

function* listColors(text: string): Generator<Color> {
  for (const [, hex, r, g, b] of text.matchAll(COLOR)) {
    if (hex !== undefined) {
      const longHex = hex.length === 3 ? hex.replace(/./g, '$&$&') : hex;
      yield `#${longHex.toLowerCase()}`;
    } else if ([r, g, b].every((channel) => Number(channel) <= 255)) {
      yield `#${[r, g, b].map((channel) => Number(channel).toString(16).padStart(2, '0')).join('')}`;
    }
  }
}

/** Returns true unless the color is gray, or almost white or black. */
export function isVivid(color: Color): boolean {
  const channels = [1, 3, 5].map(
    (offset) => Number.parseInt(color.slice(offset, offset + 2), 16) / 255,
  );
  const [max, min] = [Math.max(...channels), Math.min(...channels)];
  const light = computeLuminance(color);
  return max - min > 0.2 && (max - min) / max > 0.3 && light < 0.72 && light > 0.008;
}
