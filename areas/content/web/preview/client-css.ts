// Splits style sheets and inline styles, for previews that simulate other email clients.

export type CssRule = {
  /** A selector, or the name and conditions of an at-rule. */
  prelude: string;
  /** Between the braces; undefined for a statement such as @import. */
  body: string | undefined;
};
export type Declaration = { property: string; value: string };

/** The rules at the top level of a style sheet. */
export function parseRules(css: string): CssRule[] {
  const text = withoutComments(css);
  const rules: CssRule[] = [];
  let start = 0;
  let open = -1;
  let depth = 0;
  const add = (prelude: string, body: string | undefined) => {
    if (prelude.trim() !== '') rules.push({ prelude: prelude.trim(), body });
  };
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (sign === '"' || sign === "'") at = endOfString(text, at);
    else if (sign === '{' && depth++ === 0) open = at;
    else if (sign === '}' && depth > 0 && --depth === 0) {
      add(text.slice(start, open), text.slice(open + 1, at));
      start = at + 1;
    } else if (sign === ';' && depth === 0) {
      add(text.slice(start, at), undefined);
      start = at + 1;
    }
  }
  return rules;
}

/** The declarations of an inline style or of a rule. */
export function parseDeclarations(style: string): Declaration[] {
  const text = withoutComments(style);
  const parts: string[] = [];
  let start = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (sign === '"' || sign === "'") at = endOfString(text, at);
    else if (sign === '(') depth++;
    else if (sign === ')') depth = Math.max(0, depth - 1);
    else if (sign === ';' && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts.flatMap((part) => {
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
function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === text[from]) return at;
  }
  return text.length;
}

function withoutComments(css: string): string {
  let text = '';
  let at = 0;
  for (let open = css.indexOf('/*'); open !== -1; open = css.indexOf('/*', at)) {
    text += css.slice(at, open);
    const close = css.indexOf('*/', open + 2);
    if (close === -1) return text;
    at = close + 2;
  }
  return text + css.slice(at);
}
