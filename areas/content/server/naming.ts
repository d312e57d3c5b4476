// Which contents name a field, group, segment or picture. Owners of contents ask it about those that are still
// to be sent, before somebody deletes what they name.
import { encodeId } from '#platform/ids.ts';
import type { Reader } from '#platform/server/database.ts';
import { contentsMatching } from './contents.sql.ts';

export type Named =
  /** A field by its name in merge tags. */
  | { field: string }
  | { group: number }
  | { segment: number }
  /** A picture by the key of its file. */
  | { image: string };

/** Of these contents, those whose newest words name it. */
export async function contentsNaming(
  db: Reader,
  accountId: number,
  named: Named,
  among: readonly (number | null)[],
): Promise<Set<number>> {
  const ids = [...new Set(among.filter((id) => id !== null))];
  if (ids.length === 0) return new Set();
  return new Set(await contentsMatching(db, accountId, ids, patternOf(named)));
}

/** Whether a line (a subject …) fills the field in, in either spelling of a merge tag. */
export function lineNames(line: string, field: string): boolean {
  return new RegExp(`\\{\\{\\s*${field}(?![\\p{L}\\p{N}_])|\\{\\$${field}\\}`, 'u').test(line);
}

/** As PostgreSQL reads it; conditions of sections stand in a document's JSON. */
function patternOf(named: Named): string {
  if ('field' in named) {
    const { field } = named;
    return `\\{\\{\\s*${field}\\M|\\{\\$${field}\\}|"field": "${field}"`;
  }
  if ('image' in named) return named.image;
  if ('group' in named) return `"group": "${encodeId('group', named.group)}"`;
  return `"segment": "${encodeId('segment', named.segment)}"`;
}
