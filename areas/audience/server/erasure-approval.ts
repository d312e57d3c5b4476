// Approval of the erasure of a subscriber. The request stores the subscriber's id and no name, so
// that an erasure need not change the request.
import { type ApprovalKind, hashState } from '#areas/approvals/server/index.ts';
import { readSubscribers } from '#areas/subscribers/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { notFound } from '#platform/server/errors.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { readAccountLanguage } from './deletion-approval.ts';
import { eraseAndFind } from './subscriber-details.ts';

export const erasureApproval: ApprovalKind = {
  name: 'subscriber_erase',
  idKind: 'subscriber',
  isAboutPeople: true,
  // An approval is valid for the subscriber with all its data, so only the deletion of the
  // subscriber outdates the request.
  lock: async () => undefined,
  requirePossible: async (tx, accountId, id) => {
    await requireSubscriber(tx, accountId, id);
  },
  readFacts: async (tx, accountId, id) => ({
    title: serverTexts('audience', await readAccountLanguage(tx, accountId))('erase_request'),
    path: `/subscribers/${encodeId('subscriber', id)}/view`,
    digest: await digest(tx, accountId, id),
    hasCeiling: false,
    audience: { count: 1, total: 1, excluded: [] },
    ...{ scheduled: null, passesAt: null, cost: null },
    ...{ findings: [], previews: [], hosts: [], outline: [] },
  }),
  computeDigest: (tx, accountId, id) => digest(tx, accountId, id),
  readPreviousOutline: async () => undefined,
  listSubscribers: async (tx, accountId, _, id) => {
    const { email, phone } = await requireSubscriber(tx, accountId, id);
    return [{ id, title: email ?? phone ?? '' }];
  },
  run: (tx, { accountId }, id) => eraseAndFind(tx, accountId, id),
};

/** @throws not_found for a deleted subscriber */
async function requireSubscriber(db: Reader, accountId: number, id: number) {
  const [subscriber] = await readSubscribers(db, accountId, [id]);
  if (!subscriber) throw notFound();
  return subscriber;
}

async function digest(db: Reader, accountId: number, id: number): Promise<string> {
  await requireSubscriber(db, accountId, id);
  return hashState([id]);
}
