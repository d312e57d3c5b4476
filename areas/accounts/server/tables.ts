// The tables of this area, written by it alone, and their columns that higher floors may read in their
// own SQL.

export const TABLES = [
  'accounts',
  'api_tokens',
  'invitations',
  'mailed_secrets',
  'memberships',
  'passkey_challenges',
  'passkeys',
  'push_subscriptions',
  'refresh_tokens',
  'sessions',
  'sign_in_failures',
  'subscriber_times',
  'two_factors',
  'users',
] as const;

export const READABLE = {
  accounts: ['id'],
} as const;
