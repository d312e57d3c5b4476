// The web fonts of a form's design, with the weights that it uses.
import { type FormDocument, STYLES } from '#embed/forms/shared/document.ts';
import type { WebFont } from '#embed/forms/shared/fonts.ts';
import { toFontSlug, findWebFont } from '../content/fonts.ts';

/** The weight of labels. */
const LABEL_WEIGHT = 500;

export function listWebFonts(document: Pick<FormDocument, 'styles'>): WebFont[] {
  const styles = { ...STYLES, ...document.styles };
  const heading = styles.headingFont || styles.font;
  const usedFonts: [string, number][] = [
    [styles.font, styles.textWeight],
    [styles.font, LABEL_WEIGHT],
    [styles.font, styles.buttonWeight],
    [heading, styles.headingWeight],
  ];
  const fonts = new Map<string, WebFont>();
  for (const [stack, weight] of usedFonts) {
    const font = findWebFont(stack);
    if (!font) continue;
    // The nearest available weight, as browsers choose it.
    const [nearest = 400] = font.weights.toSorted(
      (a, b) => Math.abs(a - weight) - Math.abs(b - weight),
    );
    const webFont = fonts.get(font.name) ?? {
      name: font.name,
      slug: toFontSlug(font.name),
      weights: [],
    };
    if (!webFont.weights.includes(nearest)) webFont.weights.push(nearest);
    fonts.set(font.name, webFont);
  }
  return [...fonts.values()];
}
