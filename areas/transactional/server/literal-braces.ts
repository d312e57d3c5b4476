// Braces of a program's own template language: inserted as values, so that they stay as written.
import { readFields } from '#areas/fields/server/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { PERSON_TAGS, SYSTEM_TAGS } from '../../content/shared.ts';

/** Values that restore literal braces. */
export const LITERALS = { smtp_open: '{{', smtp_tag: '{%', smtp_field: '{$' };
const TAGS: Record<string, string> = {
  '{{': '{{smtp_open}}',
  '{%': '{{smtp_tag}}',
  '{$': '{{smtp_field}}',
};

/** Makes all braces of the text literal. */
export const literal = (text: string) => text.replace(/\{[{%$]/g, (sign) => TAGS[sign] as string);

/** Opening braces, with the name that follows them, if any. */
const OPENING = /\{(?:\{-?[ \t]{0,20}([a-zA-Z_][\w-]{0,99})?|\$([a-zA-Z_]\w{0,99})\}|[%$])/g;
const HAS_DEFAULT = /^[^{}]{0,200}\|\s{0,20}(?:default|fallback)\b/;

type ContentParts = {
  subject?: string | undefined;
  html?: string | undefined;
  text?: string | undefined;
};

/**
 * Makes braces literal that name neither a value of the call nor data of the subscriber; undefined
 * if there are none.
 */
export async function withLiteralBraces<Some extends ContentParts>(
  db: Reader,
  accountId: number,
  parts: Some,
  values: object,
): Promise<Some | undefined> {
  const known = new Set<string>([...Object.keys(values), ...SYSTEM_TAGS, ...PERSON_TAGS]);
  const texts = Object.values(parts).filter((part) => part !== undefined);
  if (!texts.some((text) => hasOther(text, known))) return undefined;
  for (const { name } of await readFields(db, accountId)) known.add(name);
  const entries = Object.entries(parts).map(([part, text]) => [
    part,
    text === undefined ? text : literalOthers(text, known),
  ]);
  return Object.fromEntries(entries) as Some;
}

const hasOther = (text: string, known: ReadonlySet<string>) => literalOthers(text, known) !== text;

function literalOthers(text: string, known: ReadonlySet<string>): string {
  return text.replace(OPENING, (...found: unknown[]) => {
    const [opening, tag, field] = found as [string, string | undefined, string | undefined];
    const at = found.at(-2) as number;
    const name = tag ?? field;
    if (name !== undefined && known.has(name)) return opening;
    if (tag !== undefined && HAS_DEFAULT.test(text.slice(at + opening.length, at + 300)))
      return opening;
    return (TAGS[opening.slice(0, 2)] ?? '') + opening.slice(2);
  });
}
