// Standard JSON without `JSON.stringify`, which would apply the `toJSON` methods that some page
// libraries add to arrays and strings.

/** Quotes, backslashes, control characters, line separators and surrogates, which are escaped. */
const UNSAFE = /["\\\u0000-\u001f\u2028\u2029\ud800-\udfff]/g;
const MAX_DEPTH = 30;

const escapeChar = (char: string): string =>
  `\\u${`000${char.charCodeAt(0).toString(16)}`.slice(-4)}`;

/** Serializes plain data. Unsupported values are omitted, or become null within a list. */
export function toJson(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string') return `"${value.replace(UNSAFE, escapeChar)}"`;
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null';
  if (value === null || depth > MAX_DEPTH) return 'null';
  if (typeof value !== 'object') return undefined;
  if (value instanceof Date) return toJson(Number.isNaN(+value) ? null : value.toISOString());
  const members: string[] = [];
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) members.push(toJson(value[i], depth + 1) ?? 'null');
    return `[${members.join(',')}]`;
  }
  for (const key of Object.keys(value)) {
    const member = toJson((value as Record<string, unknown>)[key], depth + 1);
    if (member !== undefined) members.push(`${toJson(key)}:${member}`);
  }
  return `{${members.join(',')}}`;
}
