// The email or SMS campaign of an event: its screen, and its name in emails and notifications.

import type { MessageFacts } from '#areas/delivery/server/index.ts';
import { readSubject } from '#areas/delivery/server/ledger/index.ts';
import { readSmsTitle } from '#areas/sms/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import type { Tx } from '#platform/server/database/database.ts';

export type CampaignKind = 'campaign' | 'sms_campaign';

/** The campaign of a message; `path` is the screen where it can be resumed. */
export type CampaignTarget = { kind: CampaignKind; publicId: string; path: string };

type CampaignReference = Pick<MessageFacts, 'kind' | 'sourceId'>;

/** Returns undefined for messages of other kinds. */
export function findCampaignTarget({
  kind,
  sourceId,
}: CampaignReference): CampaignTarget | undefined {
  if (sourceId === null) return undefined;
  if (kind === 'campaign') {
    const publicId = encodeId('campaign', sourceId);
    return { kind, publicId, path: `/campaigns/${publicId}` };
  }
  if (kind === 'sms_campaign') {
    const publicId = encodeId('sms', sourceId);
    return { kind, publicId, path: `/sms/${publicId}` };
  }
  return undefined;
}

/** Returns the sent subject of an email campaign, or the title of an SMS campaign. */
export function readCampaignName(
  tx: Tx,
  event: CampaignReference & { accountId: number; messageId: number },
): Promise<string> {
  const { accountId, kind, sourceId, messageId } = event;
  return kind === 'sms_campaign' && sourceId !== null
    ? readSmsTitle(tx, accountId, sourceId)
    : readSubject(tx, accountId, messageId);
}
