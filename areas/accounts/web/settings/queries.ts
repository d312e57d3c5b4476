// The API clients of the settings, the paths that changes invalidate, and queries that several
// screens share.
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { client } from '#platform/web/api/api.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import type { Account, calls } from '../../contract.ts';
import type { passkeyCalls } from '../../passkey-contract.ts';
import type { pushCalls } from '../../push-contract.ts';
import type { settingsCalls } from '../../settings-contract.ts';
import type { twoFactorCalls } from '../../two-factor-contract.ts';

export const api = client<typeof calls & typeof settingsCalls & typeof twoFactorCalls>();
export const pushApi = client<typeof pushCalls>();
export const passkeyApi = client<typeof passkeyCalls>();

const SESSION = '/client-api/api/users';
export const USERS = '/client-api/api/account_users';
export const INVITATIONS = '/client-api/api/invitations';
export const SESSIONS = '/client-api/api/sessions';
export const TWO_FACTOR = '/client-api/api/two_factor';
export const PASSKEYS = '/client-api/api/passkeys';
export const PUSH = '/client-api/api/push_subscriptions';
export const TOKENS = '/client-api/api/tokens';
/** SMTP users are managed on a screen of another area. */
export const SMTP_USERS = '/client-api/api/smtp_users';
export const ACCESS_KEYS = (user: string) => `/client-api/api/users/${user}/access_keys`;

/**
 * Returns the complete account. The shell's session has only the fields that every screen needs.
 */
export function useAccount(): UseQueryResult<Account> {
  return useQuery({
    queryKey: [...SESSION.split('/').filter(Boolean), 'account'],
    queryFn: async ({ signal }) =>
      (await api('GET /client-api/api/users', { signal })).data.account,
  });
}

/** Returns the same counts as the dashboard shows. */
export function useReachable() {
  return useQuery(api.query('GET /client-api/api/accounts/dashboard_reachable'));
}

/** Invalidates all copies of the user and the account after a change. */
export const invalidateSession = () => invalidate(SESSION, USERS);
