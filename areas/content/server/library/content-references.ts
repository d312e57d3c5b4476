// Finds content that refers to a field, group, segment or image, so that areas with content can
// report its uses before it is deleted. Also finds content, saved templates and saved sections that
// contain an email address or phone number.
import { encodeId } from '#platform/ids.ts';
import type { Reader } from '#platform/server/database/database.ts';
import {
  namesAddress,
  describeNaming,
  buildAddressPattern,
} from '#platform/server/erasure/addresses.ts';
import { filterContentsByPattern, filterContentsByNaming } from '../contents.sql.ts';
import { listLibraryTexts } from './saved-templates.sql.ts';

export type NamedResource =
  /** A field, by its name in merge tags. */
  | { field: string }
  | { group: number }
  | { segment: number }
  /** An image by the key of its file. */
  | { image: string };

/** Returns the given content ids whose current revision refers to the object. */
export async function listContentsNaming(
  db: Reader,
  accountId: number,
  resource: NamedResource,
  among: readonly (number | null)[],
): Promise<Set<number>> {
  const ids = [...new Set(among.filter((id) => id !== null))];
  if (ids.length === 0) return new Set();
  return new Set(await filterContentsByPattern(db, accountId, ids, createPattern(resource)));
}

/** Returns the given content ids whose current revision contains an address. */
export async function listContentsWithAddress(
  db: Reader,
  accountId: number,
  addresses: readonly string[],
  among: readonly (number | null)[],
): Promise<Set<number>> {
  const ids = [...new Set(among.filter((id) => id !== null))];
  if (ids.length === 0) return new Set();
  const naming = { ...describeNaming(addresses), pattern: buildAddressPattern(addresses) };
  return new Set(await filterContentsByNaming(db, accountId, ids, naming));
}

const MAX_SEARCHED = 500;

/** Handles `addresses.contents_naming` for saved templates and sections. */
export async function listLibraryWithAddress(
  db: Reader,
  { accountId, addresses }: { accountId: number; addresses: readonly string[] },
): Promise<{ kind: string; id: string; title: string }[]> {
  const rows = await listLibraryTexts(db, accountId, MAX_SEARCHED);
  return rows
    .filter(({ text }) => namesAddress(text, addresses))
    .map(({ kind, id, title }) => ({ kind, id: encodeId(kind, id), title }));
}

/**
 * Returns true if the line, such as a subject, contains the field in either syntax of merge tags.
 */
export function lineNames(line: string, field: string): boolean {
  return new RegExp(`\\{\\{\\s*${field}(?![\\p{L}\\p{N}_])|\\{\\$${field}\\}`, 'u').test(line);
}

/**
 * Returns a PostgreSQL pattern. Its `"…": "…"` parts match section conditions in the document.
 */
function createPattern(resource: NamedResource): string {
  if ('field' in resource) {
    const { field } = resource;
    return `\\{\\{\\s*${field}\\M|\\{\\$${field}\\}|"field": "${field}"`;
  }
  if ('image' in resource) return resource.image;
  if ('group' in resource) return `"group": "${encodeId('group', resource.group)}"`;
  return `"segment": "${encodeId('segment', resource.segment)}"`;
}
