// The tables that only this area writes, with the columns that higher areas may read in their SQL.

export const TABLES = [
  'accounts',
  'api_tokens',
  'identities',
  'invitations',
  'email_tokens',
  'memberships',
  'operator_sessions',
  'passkey_challenges',
  'passkeys',
  'push_subscriptions',
  'refresh_tokens',
  'removed_members',
  'sessions',
  'sign_in_failures',
  'subscriber_times',
  'two_factors',
  'users',
] as const;

export const READABLE = {
  accounts: ['id'],
} as const;
