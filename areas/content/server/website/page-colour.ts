// The colour that a website is known by: what it says itself, else what its style sheets use most where they
// name something after the brand or a button, else what they use most.
import { luminanceOf } from '../../colours.ts';
import type { Colour } from '../../document.ts';

const NAMED = 12;
const OWN =
  /(?:--[\w-]*(?:primary|brand|accent|main)[\w-]*|(?:button|btn|cta)[^{}]*\{[^{}]*?background(?:-color)?)\s*:\s*/i;
const COLOUR =
  /#([0-9a-f]{6}|[0-9a-f]{3})\b|rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})\s*[,)/ ]/gi;

/** Undefined where nothing but black, white and grey is used. */
export function pageColour(theme: string, css: string): Colour | undefined {
  const [said] = coloursIn(theme);
  if (said && isVivid(said)) return said;
  const counts = new Map<Colour, number>();
  const count = (colour: Colour, weight: number) => {
    if (isVivid(colour)) counts.set(colour, (counts.get(colour) ?? 0) + weight);
  };
  for (const colour of coloursIn(css)) count(colour, 1);
  for (const found of css.matchAll(new RegExp(`${OWN.source}([^;}]{1,60})`, 'gi'))) {
    const [colour] = coloursIn(found[1] ?? '');
    if (colour) count(colour, NAMED);
  }
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0];
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

/** Neither grey nor so light or dark that it would pass for white or black. */
export function isVivid(colour: Colour): boolean {
  const parts = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255);
  const [most, least] = [Math.max(...parts), Math.min(...parts)];
  const light = luminanceOf(colour);
  return most - least > 0.2 && (most - least) / most > 0.3 && light < 0.72 && light > 0.008;
}
