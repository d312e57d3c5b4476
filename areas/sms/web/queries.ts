// Queries for SMS. Flags are strings in the API and booleans here.
import { useQuery } from '@tanstack/react-query';
import { duplicateOnce } from '#areas/broadcasts/duplicate-once.ts';
import { isInProgress } from '#areas/broadcasts/is-sending.ts';
import type { Broadcast } from '#areas/broadcasts/web/index.ts';
import { client } from '#platform/web/api/api.ts';
import { useLiveInvalidation } from '#platform/web/api/live-queries.ts';
import type { calls, SmsCampaign } from '../contract.ts';
import { type SmsFlag, MAX_TITLE_LENGTH } from '../shared.ts';
import type { lookupCalls } from '../lookups-contract.ts';
import type { messageCalls } from '../messages-contract.ts';
import type { providerCalls } from '../providers-contract.ts';
import type { smsReportCalls } from '../message-report-contract.ts';

export const api = client<typeof calls>();
export const lookups = client<typeof lookupCalls>();
export const messages = client<typeof messageCalls>();
export const providers = client<typeof providerCalls>();
export const textReports = client<typeof smsReportCalls>();
export const PROVIDERS = '/client-api/api/sms/providers';
export const LIST_PATH = '/client-api/api/sms/campaign';
export const PHONES = '/client-api/api/phone';

export const isOn = (flag: SmsFlag) => flag === 'TRUE';
export const toFlag = (value: boolean): SmsFlag => (value ? 'TRUE' : 'FALSE');

export const toBroadcast = (campaign: SmsCampaign): Broadcast => ({
  ...campaign,
  send_to_all: isOn(campaign.send_to_all),
});

export function useSms(id: string) {
  return useQuery({
    ...api.query('GET /client-api/api/sms/campaign/{id}', { params: { id } }),
    // The counts of a running campaign also change between two notifications.
    refetchInterval: ({ state }) => (state.data && isInProgress(state.data.data) ? 3_000 : false),
  });
}

export function useLiveSms(id: string): void {
  useLiveInvalidation(`sms:${id}`, `${LIST_PATH}/${id}`);
}

export function useSmsSettings() {
  return useQuery(api.query('GET /client-api/api/sms/settings'));
}

/** Returns all senders, including senders that are not ready. */
export function useSenders() {
  return useQuery(api.query('GET /client-api/api/phone', { query: { no_paginate: '1' } }));
}

export const duplicateSms = (id: string, title: string): Promise<string> =>
  duplicateOnce(id, (idempotencyKey) =>
    api('POST /client-api/api/sms/campaign/{id}/duplicate', {
      params: { id },
      body: { title: title.slice(0, MAX_TITLE_LENGTH) },
      idempotencyKey,
    }),
  );
