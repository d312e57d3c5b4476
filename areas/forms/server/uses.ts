// Uses of groups, segments, fields, images and domains by forms, which lower areas query, for
// example before a deletion; and forms that contain an address.
import {
  listContentsNaming,
  listContentsWithAddress,
  lineNames,
  type NamedResource,
} from '#areas/content/server/index.ts';
import { needsProof } from '#areas/delivery/server/sender/index.ts';
import { parseSenderDomain } from '#areas/domains/server/index.ts';
import { namesAddress } from '#platform/server/erasure/addresses.ts';
import type { FormType } from '#embed/forms/shared/document.ts';
import { encodeId } from '#platform/ids.ts';
import type { Right } from '#platform/rights.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { FormSettings } from '../settings-contract.ts';
import {
  type ActiveForm,
  listActiveForms,
  listFormIdsUsingField,
  listFormsWithGroup,
  listFormsWithEmail,
  listFormTexts,
} from './forms.sql.ts';
import { findSignUpReward } from './sign-up-reward.ts';

/** Maximum number of names in an error. */
const MAX_NAMED = 20;

type TitledRow = { id: number; title: string };
type FormUse = { kind: 'form'; id: string; title: string };

const toUses = (rows: readonly TitledRow[]): FormUse[] =>
  rows.slice(0, MAX_NAMED).map(({ id, title }) => ({
    kind: 'form',
    id: encodeId('form', id),
    title,
  }));

/**
 * Lists forms that add subscribers to the group, or whose confirmation email has a section for
 * members of the group.
 */
export async function listFormsUsingGroup(
  tx: Tx,
  { accountId, groupId }: { accountId: number; groupId: number },
): Promise<FormUse[]> {
  const filling = await listFormsWithGroup(tx, accountId, groupId);
  const showing = await listFormsWithEmailUsing(tx, accountId, { group: groupId });
  return toUses([
    ...filling,
    ...showing.filter(({ id }) => !filling.some((form) => form.id === id)),
  ]);
}

/** Lists forms with the field in the form or the confirmation email. */
export async function listFormsUsingField(
  tx: Tx,
  { accountId, fieldId, name }: { accountId: number; fieldId: number; name: string },
): Promise<FormUse[]> {
  const formIds = new Set(await listFormIdsUsingField(tx, accountId, encodeId('field', fieldId)));
  return toUses(await listFormsWithEmailUsing(tx, accountId, { field: name }, formIds));
}

export async function listFormsUsingSegment(
  tx: Tx,
  { accountId, segmentId }: { accountId: number; segmentId: number },
): Promise<FormUse[]> {
  return toUses(await listFormsWithEmailUsing(tx, accountId, { segment: segmentId }));
}

/** Handles `segment.inForce`: returns active forms with the segment in the confirmation email. */
export async function listActiveFormsUsingSegment(
  tx: Tx,
  { accountId, segmentId }: { accountId: number; segmentId: number },
): Promise<(FormUse & { right: Right })[]> {
  const active = new Set((await listActiveForms(tx, accountId)).map(({ id }) => id));
  const rows = await listFormsWithEmailUsing(tx, accountId, { segment: segmentId });
  const uses = toUses(rows.filter(({ id }) => active.has(id)));
  return uses.map((use) => ({ ...use, right: 'send' }));
}

export async function listFormsUsingImage(
  tx: Tx,
  { accountId, fileKey }: { accountId: number; fileKey: string },
): Promise<FormUse[]> {
  return toUses(await listFormsWithEmailUsing(tx, accountId, { image: fileKey }));
}

/**
 * Lists active forms that send from the domain: confirmations, prizes of a wheel, or coupon codes.
 */
export async function listFormsFromDomain(
  tx: Tx,
  { accountId, domain }: { accountId: number; domain: string },
): Promise<FormUse[]> {
  if (!needsProof()) return [];
  const rows = await listActiveForms(tx, accountId);
  return toUses(
    rows.filter(
      (form) =>
        sendsEmails(form) &&
        parseSenderDomain((form.settings as FormSettings).confirmation.from_email) === domain,
    ),
  );
}

function sendsEmails({ type, document, settings: written }: ActiveForm): boolean {
  const settings = written as FormSettings;
  if (settings.double_opt_in || type === 'spinToWin') return true;
  const giveaway = findSignUpReward(type as FormType, document, settings);
  return giveaway !== undefined && settings.email_code !== false;
}

/** Lists the forms of `includedIds` and the forms whose confirmation email uses the resource. */
async function listFormsWithEmailUsing(
  tx: Tx,
  accountId: number,
  resource: NamedResource,
  includedIds: ReadonlySet<number> = new Set(),
): Promise<TitledRow[]> {
  const rows = await listFormsWithEmail(tx, accountId);
  const ids = rows.map((row) => row.mail_content_id);
  const contents = await listContentsNaming(tx, accountId, resource, ids);
  return rows.filter(
    (row) =>
      includedIds.has(row.id) ||
      (row.mail_content_id !== null && contents.has(row.mail_content_id)) ||
      ('field' in resource && lineNames(row.subjects, resource.field)),
  );
}

/**
 * Handles `addresses.contents_naming`: returns the forms with one of the addresses in the
 * form or the confirmation email.
 */
export async function listFormsWithAddress(
  tx: Tx,
  { accountId, addresses }: { accountId: number; addresses: readonly string[] },
): Promise<FormUse[]> {
  const rows = await listFormTexts(tx, accountId);
  const ids = rows.map((row) => row.mail_content_id);
  const contents = await listContentsWithAddress(tx, accountId, addresses, ids);
  return toUses(
    rows.filter(
      (row) =>
        (row.mail_content_id !== null && contents.has(row.mail_content_id)) ||
        namesAddress(row.text, addresses),
    ),
  );
}
