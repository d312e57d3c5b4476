// Finds the transactional emails that use a resource of a lower area, which asks before it deletes
// the resource. Programs may send any template at any time, so all that are not deleted count.
import {
  contentsNaming,
  contentsWithAddress,
  lineNames,
  type NamedResource,
} from '#areas/content/server/index.ts';
import { needsProof } from '#areas/delivery/server/sender/index.ts';
import { parseSenderDomain } from '#areas/domains/server/index.ts';
import { namesAddress } from '#areas/segments/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { allEmails, type UseRow } from './emails.sql.ts';

/** Maximum number of emails that are returned, and so named in an error. */
const MAX_NAMED = 20;

type ResourceUse = { kind: string; id: string; title: string };

export async function emailsUsingField(
  tx: Tx,
  { accountId, name }: { accountId: number; name: string },
): Promise<ResourceUse[]> {
  return emailsShowing(tx, accountId, { field: name });
}

/** Emails with a section that is shown depending on the group. */
export async function emailsUsingGroup(
  tx: Tx,
  { accountId, groupId }: { accountId: number; groupId: number },
): Promise<ResourceUse[]> {
  return emailsShowing(tx, accountId, { group: groupId });
}

/** Emails with a section that is shown depending on the segment. */
export async function emailsUsingSegment(
  tx: Tx,
  { accountId, segmentId }: { accountId: number; segmentId: number },
): Promise<ResourceUse[]> {
  return emailsShowing(tx, accountId, { segment: segmentId });
}

export async function emailsUsingImage(
  tx: Tx,
  { accountId, fileKey }: { accountId: number; fileKey: string },
): Promise<ResourceUse[]> {
  return emailsShowing(tx, accountId, { image: fileKey });
}

/** Emails with content whose sender has the domain; none if senders need no verification. */
export async function emailsFromDomain(
  tx: Tx,
  { accountId, domain }: { accountId: number; domain: string },
): Promise<ResourceUse[]> {
  if (!needsProof()) return [];
  const rows = await allEmails(tx, accountId);
  return named(
    rows.filter((row) => row.content_id !== null && parseSenderDomain(row.from_email) === domain),
  );
}

async function emailsShowing(
  tx: Tx,
  accountId: number,
  shown: NamedResource,
): Promise<ResourceUse[]> {
  const rows = await allEmails(tx, accountId);
  const ids = rows.map((row) => row.content_id);
  const contents = await contentsNaming(tx, accountId, shown, ids);
  const isNamed = (row: UseRow) =>
    (row.content_id !== null && contents.has(row.content_id)) ||
    ('field' in shown && lineNames(`${row.subject} ${row.preheader}`, shown.field));
  return named(rows.filter(isNamed));
}

const named = (rows: readonly UseRow[]): ResourceUse[] =>
  rows.slice(0, MAX_NAMED).map(({ id, title }) => ({
    kind: 'transactional',
    id: encodeId('transactional', id),
    title,
  }));

/** Answers `segment.contents_naming_addresses` with the emails that contain one of the addresses. */
export async function emailsWithAddress(
  tx: Tx,
  { accountId, addresses }: { accountId: number; addresses: readonly string[] },
): Promise<ResourceUse[]> {
  const rows = await allEmails(tx, accountId);
  const ids = rows.map((row) => row.content_id);
  const contents = await contentsWithAddress(tx, accountId, addresses, ids);
  const isNamed = (row: UseRow) =>
    (row.content_id !== null && contents.has(row.content_id)) ||
    namesAddress(`${row.subject} ${row.preheader}`, addresses);
  return named(rows.filter(isNamed));
}
