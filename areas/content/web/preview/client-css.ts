// Splits style sheets and inline styles, for previews that simulate other email clients.

export type CssRule = {
  /** A selector, or the name and conditions of an at-rule. */
  prelude: string;
  /** Between the braces; undefined for a statement such as @import. */
  body: string | undefined;
};
export type Declaration = { property: string; value: string };

/** Parses the rules at the top level of a style sheet. */
export function parseRules(css: string): CssRule[] {
  const text = removeComments(css);
  const rules: CssRule[] = [];
  let start = 0;
  let openAt = -1;
  let depth = 0;
  const add = (prelude: string, body: string | undefined) => {
    if (prelude.trim() !== '') rules.push({ prelude: prelude.trim(), body });
  };
  for (let index = 0; index < text.length; index++) {
    const sign = text[index];
    if (sign === '"' || sign === "'") index = findStringEnd(text, index);
    else if (sign === '{' && depth++ === 0) openAt = index;
    else if (sign === '}' && depth > 0 && --depth === 0) {
      add(text.slice(start, openAt), text.slice(openAt + 1, index));
      start = index + 1;
    } else if (sign === ';' && depth === 0) {
      add(text.slice(start, index), undefined);
      start = index + 1;
    }
  }
  return rules;
}

/** Parses the declarations of an inline style or a rule. */
export function parseDeclarations(style: string): Declaration[] {
  const text = removeComments(style);
  const declarations: string[] = [];
  let start = 0;
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const sign = text[index];
    if (sign === '"' || sign === "'") index = findStringEnd(text, index);
    else if (sign === '(') depth++;
    else if (sign === ')') depth = Math.max(0, depth - 1);
    else if (sign === ';' && depth === 0) {
      declarations.push(text.slice(start, index));
      start = index + 1;
    }
  }
  declarations.push(text.slice(start));
  return declarations.flatMap((part) => {
    const colon = part.indexOf(':');
    if (colon === -1) return [];
    const property = part.slice(0, colon).trim().toLowerCase();
    const value = part.slice(colon + 1).trim();
    return property === '' || value === '' ? [] : [{ property, value }];
  });
}

export const formatDeclarations = (declarations: readonly Declaration[]): string =>
  declarations.map(({ property, value }) => `${property}:${value}`).join(';');

/** Returns the position of the closing quote, or the end of the text if there is none. */
function findStringEnd(text: string, from: number): number {
  for (let index = from + 1; index < text.length; index++) {
    if (text[index] === '\\') index++;
    else if (text[index] === text[from]) return index;
  }
  return text.length;
}

function removeComments(css: string): string {
  let text = '';
  let index = 0;
  for (let openAt = css.indexOf('/*'); openAt !== -1; openAt = css.indexOf('/*', index)) {
    text += css.slice(index, openAt);
    const close = css.indexOf('*/', openAt + 2);
    if (close === -1) return text;
    index = close + 2;
  }
  return text + css.slice(index);
}
