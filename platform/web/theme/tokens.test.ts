// Every allowed pair of text and background is readable: 4.5:1 (WCAG 2.2 AA).
import { describe, expect, it } from 'vitest';
import { computeContrast } from './contrast.ts';
import { dark, light, TEXT_PAIRS } from './tokens.ts';

describe.each([
  ['light', light],
  ['dark', dark],
] as const)('%s', (_, palette) => {
  const pairs = TEXT_PAIRS.flatMap(([text, grounds]) => grounds.map((ground) => [text, ground]));

  it.each(pairs as [keyof typeof palette, keyof typeof palette][])(
    '%s on %s is readable',
    (text, ground) => {
      expect(
        computeContrast(String(palette[text]), String(palette[ground])),
      ).toBeGreaterThanOrEqual(4.5);
    },
  );

  it('the borders of controls and the colors of charts have a contrast of at least 3:1', () => {
    for (const ground of [palette.surface, palette.raised, palette.canvas]) {
      expect(computeContrast(palette.control, ground)).toBeGreaterThanOrEqual(3);
      for (const series of palette.series) {
        expect(computeContrast(series, ground)).toBeGreaterThanOrEqual(3);
      }
    }
  });
});

it('computes the contrast of black on white and of a color on itself', () => {
  expect(computeContrast('#000000', '#FFFFFF')).toBeCloseTo(21, 5);
  expect(computeContrast('#3B4FE4', '#3B4FE4')).toBe(1);
});
