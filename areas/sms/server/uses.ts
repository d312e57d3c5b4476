// What of others SMS campaigns still need, and what they lose when it goes: groups and segments.
import {
  type BroadcastOwner,
  broadcastsReading,
  forgetChosen,
  listensFor,
  unscheduleRemoved,
} from '#areas/broadcasts/server/index.ts';
import { engagementRecorded } from '#areas/tracking/server/index.ts';
import { groupDeleted, groupUsedBy } from '#areas/groups/server/index.ts';
import { segmentDeleted, segmentUsedBy } from '#areas/segments/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { type Area, answer, on } from '#platform/server/area.ts';
import type { Tx } from '#platform/server/database.ts';
import { hint } from '#platform/server/live.ts';
import { campaignsOf, type SmsRow, TABLES } from './sms.sql.ts';
import type { SmsCampaign } from '../contract.ts';

type Kind = 'groups' | 'segments';

/** What the manifest of texts hears and answers. */
export function usesOf(
  owner: BroadcastOwner<SmsRow, SmsCampaign>,
): Required<Pick<Area, 'listens' | 'answers'>> {
  return {
    listens: [
      on(groupDeleted, (tx, { accountId, groupId }) => forget(tx, accountId, 'groups', groupId)),
      on(segmentDeleted, (tx, { accountId, segmentId }) =>
        forget(tx, accountId, 'segments', segmentId),
      ),
      ...listensFor(owner),
      on(engagementRecorded, clicked),
    ],
    answers: [
      answer(groupUsedBy, (tx, { accountId, groupId }) =>
        reading(tx, accountId, 'groups', groupId),
      ),
      answer(segmentUsedBy, (tx, { accountId, segmentId }) =>
        reading(tx, accountId, 'segments', segmentId),
      ),
    ],
  };
}

/** Whoever looks at a report sees clicks come in. */
async function clicked(
  tx: Tx,
  {
    accountId,
    engagement,
  }: { accountId: number; engagement: { messageId: number; isText?: boolean }[] },
): Promise<void> {
  const ids = new Set(engagement.filter((one) => one.isText).map((one) => one.messageId));
  if (ids.size === 0) return;
  for (const id of await campaignsOf(tx, accountId, [...ids])) hint(tx, accountId, 'sms', id);
}

async function reading(tx: Tx, accountId: number, kind: Kind, chosenId: number) {
  const rows = await broadcastsReading(tx, TABLES, kind, accountId, chosenId);
  return rows.map(({ id, title }) => ({ kind: 'sms', id: encodeId('sms', id), title }));
}

/** Drafts lose it, those that were removed too; their check asks for recipients. */
async function forget(tx: Tx, accountId: number, kind: Kind, chosenId: number): Promise<void> {
  await unscheduleRemoved(tx, TABLES, kind, accountId, chosenId);
  await forgetChosen(tx, TABLES, kind, accountId, chosenId);
}
