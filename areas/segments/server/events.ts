// Events that segments publish, and queries that higher areas handle.
import type { RawBuilder } from 'kysely';
import type { Right } from '#platform/rights.ts';
import { defineEvent, defineQuestion } from '#platform/server/events.ts';

/** The uses of a segment that prevent its deletion. */
export const segmentUsedBy = defineQuestion<
  { accountId: number; segmentId: number },
  { kind: string; id: string; title: string }
>('segment.usedBy');

/**
 * Objects that send to the subscribers of a segment without another action by a user, and the right
 * needed to change each: scheduled and recurring campaigns, active workflows, forms on sites,
 * transactional emails.
 */
export const segmentInForce = defineQuestion<
  { accountId: number; segmentId: number },
  { right: Right; kind: string; id: string; title: string }
>('segment.inForce');

export const segmentDeleted = defineEvent<{ accountId: number; segmentId: number }>(
  'segment.deleted',
);

type NamedCampaigns = { accountId: number; campaignIds: readonly number[] };
type NamedCampaign = { id: number; title: string; messageIds: readonly number[] };

/** The campaigns that conditions name, with the messages of each; an unsent campaign has none. */
export const campaignsNamed = defineQuestion<NamedCampaigns, NamedCampaign>('segment.campaigns');

/**
 * The SMS campaigns that conditions name, with the messages of each; an unsent campaign has none.
 */
export const smsCampaignsNamed = defineQuestion<NamedCampaigns, NamedCampaign>(
  'segment.sms_campaigns',
);

/** SQL for the recipients of messages. */
export type WasSent = {
  /** SQL over a row `s` of subscribers: whether any of the messages was sent to this subscriber. */
  isRecipient: (messageIds: readonly number[]) => RawBuilder<boolean>;
  /** A select of the `subscriber_id` of all recipients of the messages. */
  selectRecipients: (messageIds: readonly number[]) => RawBuilder<unknown>;
};

export const wasSent = defineQuestion<{ accountId: number }, WasSent>('segment.was_sent');
