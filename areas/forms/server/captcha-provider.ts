// An alternative to the built-in proof of work: a third-party captcha, shown to visitors in a frame
// on our host and verified by the server.

export const CAPTCHA_KINDS = ['recaptcha', 'hcaptcha', 'turnstile'] as const;
export type CaptchaKind = (typeof CAPTCHA_KINDS)[number];

export type CaptchaProvider = {
  kind: CaptchaKind;
  siteKey: string;
  /**
   * The content of the frame: the provider's script, the class of the captcha's element, and the
   * hosts that the content security policy must allow.
   */
  frame: { script: string; boxClass: string; hosts: readonly string[] };
  /** `away`: the provider could not be reached. The provider accepts each token only once. */
  verify(token: string, ip: string | null): Promise<'right' | 'wrong' | 'away'>;
};
