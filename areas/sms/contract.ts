// SMS: campaigns of texts, their senders and their reports (specification, sections 2, 3, 7, 8).
import { defineCalls } from '#platform/contract.ts';
import { draftCalls } from './drafts-contract.ts';
import { phoneCalls } from './phones-contract.ts';

export type { SmsCampaign, SmsPreview } from './campaign-contract.ts';
export type { Compliance, Phone, SmsSettings, Verification } from './phones-contract.ts';

export const calls = defineCalls({ ...draftCalls, ...phoneCalls });
