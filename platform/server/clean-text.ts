// Makes outside text storable in PostgreSQL: no NUL, and U+FFFD for each lone surrogate. Every
// entry point (bodies, queries, forms, hooks, emails, SMS, responses of other services) cleans it
// after signature verification and before rows of several accounts share a statement.

const MAX_DEPTH = 100;

/** Removes NUL and replaces lone surrogates. */
export function cleanText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '') : wellFormed;
}

/** Cuts between characters: a cut inside a surrogate pair would leave half of it. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const truncated = text.slice(0, max);
  return /[\ud800-\udbff]$/.test(truncated) ? truncated.slice(0, -1) : truncated;
}

/**
 * Cleans every string in plain objects and arrays, including property names. Objects and arrays
 * deeper than `MAX_DEPTH` become null; instances of classes are not changed.
 */
export function cleanValue<T>(value: T): T {
  return isClean(value, 0) ? value : (cleanNested(value, 0) as T);
}

const isCleanText = (text: string) => text.isWellFormed() && !text.includes('\0');

function isClean(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return isCleanText(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth > MAX_DEPTH) return false;
  if (Array.isArray(value)) return value.every((item) => isClean(item, depth + 1));
  if (!isPlain(value)) return true;
  return Object.entries(value).every(
    ([name, item]) => isCleanText(name) && isClean(item, depth + 1),
  );
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function cleanNested(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((item) => cleanNested(item, depth + 1));
  if (!isPlain(value)) return value;
  const copy: Record<string, unknown> = Object.create(
    Object.getPrototypeOf(value) as object | null,
  );
  for (const [name, item] of Object.entries(value)) {
    const enumerable = { enumerable: true, configurable: true, writable: true };
    // A plain assignment to `__proto__` would set the prototype.
    Object.defineProperty(copy, cleanText(name), {
      ...enumerable,
      value: cleanNested(item, depth + 1),
    });
  }
  return copy;
}

const UNCLEAN_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/;
const ESCAPES =
  /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(u[dD][89a-fA-F][\da-fA-F]{2})|(u0000)|[^])/g;

/**
 * Cleans the text of a JSON document before parsing, so that depth and property names need no
 * special handling.
 */
export function cleanJson(json: string): string {
  return withoutEscapes(cleanText(json), '');
}

/**
 * Replaces lone surrogates. Retains NUL, so that contracts can refuse it with the name of the
 * field.
 */
export function wellFormedJson(json: string): string {
  return withoutEscapes(json.toWellFormed(), '\\u0000');
}

function withoutEscapes(json: string, nulAs: string): string {
  if (!UNCLEAN_ESCAPE.test(json)) return json;
  return json.replace(ESCAPES, (escape, half?: string, nul?: string) =>
    half ? '\\ufffd' : nul ? nulAs : escape,
  );
}

/** `JSON.parse` for outside documents. */
export function parseJson(json: string): unknown {
  return JSON.parse(cleanJson(json));
}

/**
 * Parses the fields of an `application/x-www-form-urlencoded` body or query; bytes that are not
 * UTF-8 become U+FFFD.
 */
export function parseForm(text: string): URLSearchParams {
  return new URLSearchParams(cleanText(text).replaceAll('%00', ''));
}
