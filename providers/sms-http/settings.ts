// Settings of an SMS provider that is called by HTTP.

/**
 * `baseUrl` is `https://host` without a path. `user` and `secret` are the account and the key at
 * the provider.
 */
export type SmsAccount = {
  baseUrl: string;
  user: string;
  secret: string;
  /** The messaging profile; only Telnyx needs it. */
  profile?: string | undefined;
};
