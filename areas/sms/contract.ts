// Contract of SMS: campaigns, their senders and their reports.
import { defineCalls } from '#platform/contract.ts';
import { recipientCalls } from '../broadcasts/recipients-contract.ts';
import { sendingCalls } from '../broadcasts/sending-contract.ts';
import { SMS_CAMPAIGNS_PATH, SmsCampaign as SmsCampaignSchema } from './campaign-contract.ts';
import { draftCalls } from './drafts-contract.ts';
import { messageCalls } from './messages-contract.ts';
import { phoneCalls } from './phones-contract.ts';
import { lookupCalls } from './lookups-contract.ts';
import { reportCalls } from './report-contract.ts';

export type { SmsCampaign, SmsFinding, SmsPreview } from './campaign-contract.ts';
export type { ListedSms } from './drafts-contract.ts';
export type { ReportedSubscriber, SmsReply } from './report-contract.ts';
export type { Compliance, Phone, SmsSettings, PhoneVerification } from './phones-contract.ts';

/** Calls that this area defines itself; calls of all broadcasts are defined in areas/broadcasts. */
export const ownCalls = defineCalls({
  ...draftCalls,
  ...phoneCalls,
  ...reportCalls,
  ...lookupCalls,
  ...messageCalls,
});

/**
 * The calls of the screens' main client. `lookupCalls` and `messageCalls` have separate clients:
 * all calls in one type exceed the compiler's limits.
 */
export const calls = defineCalls({
  ...draftCalls,
  ...phoneCalls,
  ...reportCalls,
  ...recipientCalls(SMS_CAMPAIGNS_PATH, 'sms'),
  ...sendingCalls(SMS_CAMPAIGNS_PATH, 'sms', SmsCampaignSchema),
});
