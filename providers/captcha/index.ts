// reCAPTCHA, hCaptcha and Turnstile, which share one protocol: the widget's token is posted with
// the secret key, and the service returns whether a person solved the captcha.
// https://developers.google.com/recaptcha/docs/verify ·
// https://docs.hcaptcha.com/#verify-the-user-response-server-side
// https://developers.cloudflare.com/turnstile/get-started/server-side-validation/
import type { CaptchaKind, CaptchaProvider } from '#areas/forms/server/captcha-provider.ts';

type CaptchaService = CaptchaProvider['frame'] & { verifyUrl: string };

const SERVICES: Record<CaptchaKind, CaptchaService> = {
  recaptcha: {
    script: 'https://www.google.com/recaptcha/api.js',
    verifyUrl: 'https://www.google.com/recaptcha/api/siteverify',
    boxClass: 'g-recaptcha',
    hosts: ['https://www.google.com', 'https://www.gstatic.com'],
  },
  hcaptcha: {
    script: 'https://js.hcaptcha.com/1/api.js',
    verifyUrl: 'https://api.hcaptcha.com/siteverify',
    boxClass: 'h-captcha',
    hosts: ['https://hcaptcha.com', 'https://*.hcaptcha.com'],
  },
  turnstile: {
    script: 'https://challenges.cloudflare.com/turnstile/v0/api.js',
    verifyUrl: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
    boxClass: 'cf-turnstile',
    hosts: ['https://challenges.cloudflare.com'],
  },
};

const TIME_LIMIT_MS = 5_000;
/** Error codes caused by our configuration, not by the visitor's token. */
const CONFIGURATION_ERRORS = /secret|bad-request|internal-error|sitekey-secret-mismatch/;

/** @param options `baseUrl` is the URL of a test server */
export function captcha(options: {
  kind: CaptchaKind;
  siteKey: string;
  secretKey: string;
  baseUrl?: string | undefined;
}): CaptchaProvider {
  const { kind, siteKey, secretKey, baseUrl } = options;
  const { verifyUrl: address, ...frame } = SERVICES[kind];
  return {
    kind,
    siteKey,
    frame: baseUrl ? { ...frame, script: `${baseUrl}/api.js`, hosts: [baseUrl] } : frame,
    async verify(token, ip) {
      if (token === '') return 'wrong';
      try {
        const reply = await fetch(baseUrl ? `${baseUrl}/siteverify` : address, {
          method: 'POST',
          body: new URLSearchParams({
            secret: secretKey,
            response: token,
            ...(ip ? { remoteip: ip } : {}),
          }),
          signal: AbortSignal.timeout(TIME_LIMIT_MS),
        });
        if (!reply.ok) return 'away';
        const response = (await reply.json()) as { success?: unknown; 'error-codes'?: unknown };
        if (response.success === true) return 'right';
        const codes = Array.isArray(response['error-codes']) ? response['error-codes'] : [];
        return codes.some(
          (code) => CONFIGURATION_ERRORS.test(String(code)) && !/response/.test(String(code)),
        )
          ? 'away'
          : 'wrong';
      } catch {
        return 'away';
      }
    },
  };
}
