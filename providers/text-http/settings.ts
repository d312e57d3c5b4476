// What an HTTP provider of texts is reached with.

/** `user` and `secret`: as the provider names its account and its key. `base`: `https://host` without a path. */
export type TextAccount = {
  base: string;
  user: string;
  secret: string;
  /** More that some want: Sinch's region stands in `base`, Telnyx's profile here. */
  profile?: string | undefined;
};
