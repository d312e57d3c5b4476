// Emails sent by a program may contain braces that are not merge tags, for example of the program's
// own template language. Such an opening brace is replaced by a merge tag that renders as the same
// brace, so recipients see it as written.
import { readFields } from '#areas/fields/server/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { PERSON_TAGS, SYSTEM_TAGS } from '../../content/shared.ts';

/** Values of the merge tags that replace literal braces. */
export const LITERALS = { smtp_open: '{{', smtp_tag: '{%', smtp_field: '{$' };
const TAGS: Record<string, string> = {
  '{{': '{{smtp_open}}',
  '{%': '{{smtp_tag}}',
  '{$': '{{smtp_field}}',
};

/** Escapes every opening brace that could start a merge tag, so the text has no merge tags. */
export const escapeBraces = (text: string) =>
  text.replace(/\{[{%$]/g, (sign) => TAGS[sign] as string);

/** The opening braces of a tag, with the name of the tag if one follows. */
const OPENING = /\{(?:\{-?[ \t]{0,20}([a-zA-Z_][\w-]{0,99})?|\$([a-zA-Z_]\w{0,99})\}|[%$])/g;
const HAS_DEFAULT = /^[^{}]{0,200}\|\s{0,20}(?:default|fallback)\b/;

type ContentParts = {
  subject?: string | undefined;
  html?: string | undefined;
  text?: string | undefined;
};

/**
 * Escapes the braces of unknown tags. A tag is unknown if it names neither a value of the call nor
 * data of the subscriber, and has no fallback. Returns undefined if no tag is unknown.
 */
export async function escapeUnknownTags<Parts extends ContentParts>(
  db: Reader,
  accountId: number,
  parts: Parts,
  values: object,
): Promise<Parts | undefined> {
  const knownNames = new Set<string>([...Object.keys(values), ...SYSTEM_TAGS, ...PERSON_TAGS]);
  const contents = Object.values(parts).filter((part) => part !== undefined);
  if (!contents.some((text) => hasUnknownTags(text, knownNames))) return undefined;
  for (const { name } of await readFields(db, accountId)) knownNames.add(name);
  const entries = Object.entries(parts).map(([part, text]) => [
    part,
    text === undefined ? text : escapeUnknownTagsIn(text, knownNames),
  ]);
  return Object.fromEntries(entries) as Parts;
}

const hasUnknownTags = (text: string, knownNames: ReadonlySet<string>) =>
  escapeUnknownTagsIn(text, knownNames) !== text;

function escapeUnknownTagsIn(text: string, knownNames: ReadonlySet<string>): string {
  return text.replace(OPENING, (...match: unknown[]) => {
    const [opening, tag, field] = match as [string, string | undefined, string | undefined];
    const offset = match.at(-2) as number;
    const name = tag ?? field;
    if (name !== undefined && knownNames.has(name)) return opening;
    if (tag !== undefined && HAS_DEFAULT.test(text.slice(offset + opening.length, offset + 300)))
      return opening;
    return (TAGS[opening.slice(0, 2)] ?? '') + opening.slice(2);
  });
}
