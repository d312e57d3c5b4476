// The settings of an HTTP provider of SMS.

/**
 * `user` and `secret` are the provider's account and key, `base` is `https://host` without a path.
 */
export type SmsAccount = {
  base: string;
  user: string;
  secret: string;
  /** An additional setting: Telnyx's profile. Sinch's region is part of `base`. */
  profile?: string | undefined;
};
