// Names of a form's web fonts: prefixed, so that they do not affect the page's own text.

export type WebFont = { name: string; slug: string; weights: number[] };

export const embeddedFontName = (name: string): string => `form ${name}`;

/**
 * Returns the font stack with the prefixed name of its first font in front. A stack whose first
 * font is not in quotes is returned unchanged, because it is not a web font.
 */
export function withOwnName(stack: string): string {
  const [, name] = /^'([^']+)'/.exec(stack) ?? [];
  return name === undefined ? stack : `'${embeddedFontName(name)}',${stack}`;
}
