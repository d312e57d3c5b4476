// Finds the transactional emails that use a resource of a lower area, for a check before the
// resource is deleted. Programs may send any template at any time, so all templates that are not
// deleted count.
import {
  listContentsNaming,
  listContentsWithAddress,
  lineNames,
  type NamedResource,
} from '#areas/content/server/index.ts';
import { needsProof } from '#areas/delivery/server/sender/index.ts';
import { parseSenderDomain } from '#areas/domains/server/index.ts';
import { namesAddress } from '#platform/server/erasure/addresses.ts';
import { encodeId } from '#platform/ids.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { listAllEmails, type TransactionalUseRow } from './emails.sql.ts';

/** Maximum number of emails that are returned, and so named in an error. */
const MAX_NAMED = 20;

type ResourceUse = { kind: string; id: string; title: string };

export async function listEmailsUsingField(
  tx: Tx,
  { accountId, name }: { accountId: number; name: string },
): Promise<ResourceUse[]> {
  return listEmailsNaming(tx, accountId, { field: name });
}

/** Lists emails with a section that is shown depending on the group. */
export async function listEmailsUsingGroup(
  tx: Tx,
  { accountId, groupId }: { accountId: number; groupId: number },
): Promise<ResourceUse[]> {
  return listEmailsNaming(tx, accountId, { group: groupId });
}

/** Lists emails with a section that is shown depending on the segment. */
export async function listEmailsUsingSegment(
  tx: Tx,
  { accountId, segmentId }: { accountId: number; segmentId: number },
): Promise<ResourceUse[]> {
  return listEmailsNaming(tx, accountId, { segment: segmentId });
}

export async function listEmailsUsingImage(
  tx: Tx,
  { accountId, fileKey }: { accountId: number; fileKey: string },
): Promise<ResourceUse[]> {
  return listEmailsNaming(tx, accountId, { image: fileKey });
}

/**
 * Lists emails that have content and a sender in the domain; none if senders need no verification.
 */
export async function listEmailsFromDomain(
  tx: Tx,
  { accountId, domain }: { accountId: number; domain: string },
): Promise<ResourceUse[]> {
  if (!needsProof()) return [];
  const rows = await listAllEmails(tx, accountId);
  return toUses(
    rows.filter((row) => row.content_id !== null && parseSenderDomain(row.from_email) === domain),
  );
}

async function listEmailsNaming(
  tx: Tx,
  accountId: number,
  resource: NamedResource,
): Promise<ResourceUse[]> {
  const rows = await listAllEmails(tx, accountId);
  const ids = rows.map((row) => row.content_id);
  const contents = await listContentsNaming(tx, accountId, resource, ids);
  const isNamed = (row: TransactionalUseRow) =>
    (row.content_id !== null && contents.has(row.content_id)) ||
    ('field' in resource && lineNames(`${row.subject} ${row.preheader}`, resource.field));
  return toUses(rows.filter(isNamed));
}

const toUses = (rows: readonly TransactionalUseRow[]): ResourceUse[] =>
  rows.slice(0, MAX_NAMED).map(({ id, title }) => ({
    kind: 'transactional',
    id: encodeId('transactional', id),
    title,
  }));

/**
 * Handles `addresses.contents_naming`: returns the emails that contain one of the
 * addresses.
 */
export async function listEmailsWithAddress(
  tx: Tx,
  { accountId, addresses }: { accountId: number; addresses: readonly string[] },
): Promise<ResourceUse[]> {
  const rows = await listAllEmails(tx, accountId);
  const ids = rows.map((row) => row.content_id);
  const contents = await listContentsWithAddress(tx, accountId, addresses, ids);
  const isNamed = (row: TransactionalUseRow) =>
    (row.content_id !== null && contents.has(row.content_id)) ||
    namesAddress(linesOf(row), addresses);
  return toUses(rows.filter(isNamed));
}

/** The texts of an email that are not part of its content, with the samples of its variables. */
const linesOf = (row: TransactionalUseRow): string =>
  [row.subject, row.preheader, row.from_name, row.from_email, row.reply_to]
    .concat(JSON.stringify(row.variables))
    .join(' ');
