// Settings of an SMS provider that is called by HTTP.

/**
 * `user` and `secret` are the provider's account and key, `base` is `https://host` without a path.
 */
export type SmsAccount = {
  baseUrl: string;
  user: string;
  secret: string;
  /** The additional setting of Telnyx. The region of Sinch is part of `base`. */
  profile?: string | undefined;
};
