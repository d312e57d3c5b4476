// What onboarding asks the server: the flags, the user's own data, the drafts and what was sent.
import { useQuery } from '@tanstack/react-query';
import type { Account, calls as accountCalls } from '#areas/accounts/contract.ts';
import type { calls as campaignCalls } from '#areas/campaigns/contract.ts';
import type { calls as domainCalls } from '#areas/domains/contract.ts';
import { client } from '#platform/web/api.ts';
import { failure } from '#platform/web/notices.tsx';
import { queryClient, touch } from '#platform/web/queries.ts';
import { usersPath } from '#platform/web/session.ts';
import { text } from '#platform/web/texts.ts';

type Asked = Pick<
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

export const api = client<Asked>();

const flagsQuery = api.query('GET /client-api/api/users/onboard');

export function useFlags() {
  return useQuery(flagsQuery);
}

/** The sending domains: none of them is verified while the step of the domain is open. */
export function useDomains() {
  const query = { no_paginate: 'true' };
  return useQuery(api.query('GET /client-api/api/domains', { query }));
}

/** Asks for the flags anew, whatever the cache holds. */
export async function readFlags() {
  return (await queryClient.fetchQuery({ ...flagsQuery, staleTime: 0 })).data;
}

/** The whole account; the shell's copy of the session has only what every screen needs. */
export function useAccount() {
  return useQuery({
    queryKey: [...usersPath.split('/').filter(Boolean), 'account'],
    queryFn: async ({ signal }): Promise<Account> =>
      (await api('GET /client-api/api/users', { signal })).data.account,
  });
}

/** The draft that was worked on last, and the campaign that was sent last; asked only where a step needs them. */
export function useLatest(status: 'DRAFT' | 'SENT', isNeeded: boolean) {
  const order = status === 'SENT' ? 'sent' : 'modified';
  const query = { status, limit: 1, order, direction: 'desc', as_list: 'true' };
  return useQuery({ ...api.query('GET /client-api/api/campaigns', { query }), enabled: isNeeded });
}

/** The flags and the user again, after something was saved. Says so where that fails. */
export async function refresh(): Promise<void> {
  try {
    await readFlags();
    await touch(usersPath);
  } catch {
    failure(text('onboarding:errors.fetch'));
  }
}
