// Names under which a form's web fonts are known: its own, so that a page's text stays as it is.

export type WebFont = { name: string; slug: string; weights: number[] };

export const ownName = (name: string): string => `form ${name}`;

/** A stack whose first font comes by its own name before the page's. */
export function withOwnName(stack: string): string {
  const [, name] = /^'([^']+)'/.exec(stack) ?? [];
  return name === undefined ? stack : `'${ownName(name)}',${stack}`;
}
