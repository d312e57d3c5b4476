// The queries of onboarding: flags, sender domains, the account, drafts and sent campaigns.
import { useQuery } from '@tanstack/react-query';
import type { Account, calls as accountCalls } from '#areas/accounts/contract.ts';
import type { calls as campaignCalls } from '#areas/campaigns/contract.ts';
import type { calls as domainCalls } from '#areas/domains/contract.ts';
import { client } from '#platform/web/api/api.ts';
import { failure } from '#platform/web/errors/notices.tsx';
import { queryClient, invalidate } from '#platform/web/api/queries.ts';
import { USERS_PATH } from '#platform/web/session/session.ts';
import { text } from '#platform/web/texts/texts.ts';

type OnboardingCalls = Pick<
  typeof accountCalls,
  | 'getSession'
  | 'getOnboarding'
  | 'updateUser'
  | 'resendVerification'
  | 'saveAccount'
  | 'saveUserQuestionnaire'
  | 'saveAccountQuestionnaire'
> &
  Pick<typeof campaignCalls, 'listCampaigns'> &
  Pick<typeof domainCalls, 'listDomains'>;

export const api = client<OnboardingCalls>();

const flagsQuery = api.query('GET /client-api/api/users/onboard');

/** @param everyMs interval of refetches; undefined: none */
export function useFlags(everyMs?: number) {
  return useQuery({ ...flagsQuery, refetchInterval: everyMs ?? false });
}

/** Returns the sender domains. While the domain step is open, none of them is verified. */
export function useDomains() {
  const query = { no_paginate: 'true' };
  return useQuery(api.query('GET /client-api/api/domains', { query }));
}

/** Requests the flags again, bypassing the cache. */
export async function readFlags() {
  return (await queryClient.fetchQuery({ ...flagsQuery, staleTime: 0 })).data;
}

/** Returns the whole account; the session contains only what every screen needs. */
export function useAccount() {
  return useQuery({
    queryKey: [...USERS_PATH.split('/').filter(Boolean), 'account'],
    queryFn: async ({ signal }): Promise<Account> =>
      (await api('GET /client-api/api/users', { signal })).data.account,
  });
}

/**
 * Returns the draft that was edited last, or the campaign that was sent last; requested only if a
 * step needs it.
 */
export function useLatest(status: 'DRAFT' | 'SENT', isNeeded: boolean) {
  const order = status === 'SENT' ? 'sent' : 'modified';
  const query = { status, limit: 1, order, direction: 'desc', as_list: 'true' };
  return useQuery({ ...api.query('GET /client-api/api/campaigns', { query }), enabled: isNeeded });
}

/** Reloads the flags and the user after saving and shows an error if that fails. */
export async function refreshOnboarding(): Promise<void> {
  try {
    await readFlags();
    await invalidate(USERS_PATH);
  } catch {
    failure(text('onboarding:errors.fetch'));
  }
}
