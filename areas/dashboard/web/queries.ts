// The dashboard's queries: its own statistics, campaigns of both channels by status, onboarding
// progress.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { calls as accountCalls } from '#areas/accounts/contract.ts';
import type { calls as campaignCalls } from '#areas/campaigns/contract.ts';
import type { calls as smsCalls } from '#areas/sms/contract.ts';
import type { z } from 'zod';
import { client } from '#platform/web/api/api.ts';
import type { calls } from '../contract.ts';
import { PANEL_ROWS } from '../shared.ts';
import type { DayRange } from './range.ts';

export const api = client<
  typeof calls &
    typeof campaignCalls &
    Pick<typeof accountCalls, 'getOnboarding' | 'dashboardReachable'>
>();
const smsApi = client<Pick<typeof smsCalls, 'listSmsCampaigns'>>();

/** Response of the call that sends the first email. */
export type SentFirstEmail = z.infer<(typeof calls)['sendFirstEmail']['response']>['data'];

export type Status = 'SENT' | 'SCHEDULED' | 'DRAFT';

/** Lists start with the campaign last sent, scheduled next, or last edited. */
const ORDERS = {
  SENT: { order: 'sent', direction: 'desc' },
  SCHEDULED: { order: 'scheduled', direction: 'asc' },
  DRAFT: { order: 'modified', direction: 'desc' },
} as const;

const listOf = (status: Status) => ({
  status,
  limit: PANEL_ROWS,
  ...ORDERS[status],
  as_list: 'true',
});

export function useEmailCampaigns(status: Status) {
  return useQuery(api.query('GET /client-api/api/campaigns', { query: listOf(status) }));
}

export function useSmsCampaigns(status: Status) {
  return useQuery(smsApi.query('GET /client-api/api/sms/campaign', { query: listOf(status) }));
}

/** Returns whether the account has an SMS campaign, or a query failed. */
export function useHasSms(): boolean {
  const all = [useSmsCampaigns('SENT'), useSmsCampaigns('SCHEDULED'), useSmsCampaigns('DRAFT')];
  return all.some(({ data, isError }) => isError || (data?.data.length ?? 0) > 0);
}

export function useReachable() {
  return useQuery(api.query('GET /client-api/api/accounts/dashboard_reachable'));
}

export function useGrowth(days: DayRange) {
  return useQuery({
    ...api.query('GET /client-api/api/accounts/dashboard_subscribers', { query: { ...days } }),
    placeholderData: keepPreviousData,
  });
}

export function useSending(days: DayRange) {
  return useQuery({
    ...api.query('GET /client-api/api/accounts/dashboard_sending', { query: { ...days } }),
    placeholderData: keepPreviousData,
  });
}

export function useEngagement(days: DayRange) {
  return useQuery({
    ...api.query('GET /client-api/api/accounts/dashboard_engagement', { query: { ...days } }),
    placeholderData: keepPreviousData,
  });
}

const COUNTING_MS = 3_000;

export function useGroupRows(days: DayRange) {
  return useQuery({
    ...api.query('GET /client-api/api/accounts/dashboard_groups', { query: { ...days } }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.data.is_counting ? COUNTING_MS : false),
  });
}

export function useEarned(days: DayRange) {
  return useQuery({
    ...api.query('GET /client-api/api/accounts/dashboard_earned', { query: { ...days } }),
    placeholderData: keepPreviousData,
  });
}

export function useUsage() {
  return useQuery(api.query('GET /client-api/api/accounts/dashboard_usage'));
}

const STOPPED_NEWS_MS = 60_000;

export function useStopped() {
  return useQuery({
    ...api.query('GET /client-api/api/accounts/dashboard_stopped'),
    refetchInterval: STOPPED_NEWS_MS,
  });
}

export function useOnboarding(isNeeded: boolean) {
  return useQuery({ ...api.query('GET /client-api/api/users/onboard'), enabled: isNeeded });
}
