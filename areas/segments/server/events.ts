// What segments announce and ask upward.
import type { RawBuilder } from 'kysely';
import { defineEvent, defineQuestion } from '#platform/server/events.ts';

/** What would break without this segment: each answer names a thing that uses it. */
export const segmentUsedBy = defineQuestion<
  { accountId: number; segmentId: number },
  { kind: string; id: string; title: string }
>('segment.usedBy');

export const segmentDeleted = defineEvent<{ accountId: number; segmentId: number }>(
  'segment.deleted',
);

type Named = { accountId: number; campaignIds: readonly number[] };
type NamedCampaign = { id: number; title: string; messageId: number | null };

/** Campaigns that conditions name, with the message that each became; null while it was not sent. */
export const campaignsNamed = defineQuestion<Named, NamedCampaign>('segment.campaigns');

/** The same of SMS campaigns. */
export const smsCampaignsNamed = defineQuestion<Named, NamedCampaign>('segment.sms_campaigns');

/** To whom messages went. */
export type WasSent = {
  /** SQL over a row `s` of subscribers: one of the messages went to this person. */
  isOne: (messageIds: readonly number[]) => RawBuilder<boolean>;
  /** A select of the `subscriber_id` of everybody whom one of them went to. */
  all: (messageIds: readonly number[]) => RawBuilder<unknown>;
};

export const wasSent = defineQuestion<{ accountId: number }, WasSent>('segment.was_sent');
