// Main color of a website: its theme color, else the most frequent color in style sheets of
// properties named after the brand or a button, else the most frequent color.
import { luminanceOf } from '../../colours.ts';
import type { Colour } from '../../document.ts';

const NAMED = 12;
/** A custom property or a background, with the start of its value. */
const DECLARATION = /(?<![\w-])(--[\w-]{1,80}|background(?:-color)?)\s{0,9}:\s{0,9}([^;}]{1,60})/gi;
const BRAND = /^--.*(?:primary|brand|accent|main)/i;
const BUTTON = /button|btn|cta/i;
const COLOUR =
  /#([0-9a-f]{6}|[0-9a-f]{3})\b|rgba?\(\s{0,9}(\d{1,3})[\s,]{1,9}(\d{1,3})[\s,]{1,9}(\d{1,3})\s{0,9}[,)/ ]/gi;

/** Undefined if only black, white and gray are used. */
export function pageColour(theme: string, css: string): Colour | undefined {
  const [said] = coloursIn(theme);
  if (said && isVivid(said)) return said;
  const counts = new Map<Colour, number>();
  const count = (colour: Colour, weight: number) => {
    if (isVivid(colour)) counts.set(colour, (counts.get(colour) ?? 0) + weight);
  };
  for (const colour of coloursIn(css)) count(colour, 1);
  for (const value of ownColours(css)) {
    const [colour] = coloursIn(value);
    if (colour) count(colour, NAMED);
  }
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0];
}

/**
 * Values of custom properties named after the brand, and the first background of each button rule.
 */
function* ownColours(css: string): Generator<string> {
  for (const rule of css.split('}')) {
    const opening = rule.lastIndexOf('{');
    const isButton = BUTTON.test(rule.slice(rule.lastIndexOf('{', opening - 1) + 1, opening));
    let backgrounds = 0;
    for (const [, name = '', value = ''] of rule.matchAll(DECLARATION)) {
      if (name.startsWith('--') ? BRAND.test(name) : isButton && backgrounds++ === 0) yield value;
    }
  }
}

function* coloursIn(text: string): Generator<Colour> {
  for (const [, hex, r, g, b] of text.matchAll(COLOUR)) {
    if (hex !== undefined) {
      const long = hex.length === 3 ? hex.replace(/./g, '$&$&') : hex;
      yield `#${long.toLowerCase()}`;
    } else if ([r, g, b].every((part) => Number(part) <= 255)) {
      yield `#${[r, g, b].map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`;
    }
  }
}

/** True unless gray, or almost white or black. */
export function isVivid(colour: Colour): boolean {
  const parts = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255);
  const [most, least] = [Math.max(...parts), Math.min(...parts)];
  const light = luminanceOf(colour);
  return most - least > 0.2 && (most - least) / most > 0.3 && light < 0.72 && light > 0.008;
}
