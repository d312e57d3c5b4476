// Finds contents that refer to a field, group, segment or image. Owners of contents call it for
// unsent contents before a deletion.
import { encodeId } from '#platform/ids.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { contentsMatching } from '../contents.sql.ts';

export type NamedResource =
  /** A field, by its name in merge tags. */
  | { field: string }
  | { group: number }
  | { segment: number }
  /** An image by the key of its file. */
  | { image: string };

/** Returns those of the given contents whose current revision refers to the object. */
export async function contentsNaming(
  db: Reader,
  accountId: number,
  named: NamedResource,
  among: readonly (number | null)[],
): Promise<Set<number>> {
  const ids = [...new Set(among.filter((id) => id !== null))];
  if (ids.length === 0) return new Set();
  return new Set(await contentsMatching(db, accountId, ids, patternOf(named)));
}

/** True if the line (a subject …) contains the field in either syntax of merge tags. */
export function lineNames(line: string, field: string): boolean {
  return new RegExp(`\\{\\{\\s*${field}(?![\\p{L}\\p{N}_])|\\{\\$${field}\\}`, 'u').test(line);
}

/** A PostgreSQL pattern; section conditions are in the document's JSON. */
function patternOf(named: NamedResource): string {
  if ('field' in named) {
    const { field } = named;
    return `\\{\\{\\s*${field}\\M|\\{\\$${field}\\}|"field": "${field}"`;
  }
  if ('image' in named) return named.image;
  if ('group' in named) return `"group": "${encodeId('group', named.group)}"`;
  return `"segment": "${encodeId('segment', named.segment)}"`;
}
