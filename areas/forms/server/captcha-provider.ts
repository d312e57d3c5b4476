// What an installation may have in place of the built-in proof of work: a captcha of somebody else, whose box
// visitors see in a frame of our host, and whose word the server asks for itself.

export const CAPTCHA_KINDS = ['recaptcha', 'hcaptcha', 'turnstile'] as const;
export type CaptchaKind = (typeof CAPTCHA_KINDS)[number];

export type CaptchaProvider = {
  kind: CaptchaKind;
  siteKey: string;
  /** Of the frame's page: its script, the class of its box, and what its policy must let in. */
  frame: { script: string; boxClass: string; hosts: readonly string[] };
  /** `away`: it could not be asked. A token counts once: the provider sees to that. */
  verify(token: string, ip: string | null): Promise<'right' | 'wrong' | 'away'>;
};
