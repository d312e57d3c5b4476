// An invalid webhook key of a provider stops the start; missing settings for the receipt of bounces
// and complaints cause a warning.
import { expect, test, vi } from 'vitest';
import { loadConfig } from '#platform/server/config.ts';
import { log } from '#platform/server/log.ts';
import { instanceKeys, warnIfNoFeedback } from './hooks.ts';

test.each([
  ['SES_WEBHOOK_TOPIC', 'arn:aws:sqs:eu-north-1:123456789012:mails', 'the ARN of an SNS topic'],
  ['SENDGRID_WEBHOOK_KEY', 'nonsense', 'the verification key that SendGrid shows'],
  ['POSTMARK_WEBHOOK_LOGIN', 'hook:short', 'user:password'],
  ['MAILGUN_WEBHOOK_KEY', 'key', 'the signing key that Mailgun shows'],
])('an invalid %s prevents startup', (variable, value, message) => {
  const start = () => instanceKeys(loadConfig({ [variable]: value }));
  expect(start).toThrow(`${variable} is invalid: it must be ${message}`);
});

const PRODUCTION = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://mail.example',
  SECRET: 'a secret of the tests, thirty-two characters and more',
  SMTP_URL: 'smtp://relay.example',
};

test.each([
  ['nothing set in production', PRODUCTION, 1],
  ['a return path without a listener', { ...PRODUCTION, BOUNCE_DOMAIN: 'b.example' }, 1],
  ['a laptop', {}, 0],
  ['a listener', { ...PRODUCTION, BOUNCE_DOMAIN: 'b.example', RETURN_SMTP_PORT: '2525' }, 0],
  ['a webhook', { ...PRODUCTION, MAILGUN_WEBHOOK_KEY: 'a'.repeat(32) }, 0],
])(
  'startup logs a warning only in production without a way to receive bounces: %s',
  (_, environment, times) => {
    const warnings: string[] = [];
    const spy = vi.spyOn(log, 'warn').mockImplementation((message) => void warnings.push(message));
    warnIfNoFeedback(loadConfig(environment));
    spy.mockRestore();
    expect(warnings).toHaveLength(times);
    for (const warning of warnings) {
      expect(warning).toContain('Bounces and complaints cannot be processed');
      expect(warning).toContain('BOUNCE_DOMAIN and RETURN_SMTP_PORT');
      expect(warning).toContain('SES_WEBHOOK_TOPIC');
      expect(warning).toContain('MAILGUN_WEBHOOK_KEY');
    }
  },
);

const LISTENS = { ...PRODUCTION, BOUNCE_DOMAIN: 'b.example', RETURN_SMTP_PORT: '2525' };

test.each([
  ['ses://AK:s@email.eu-north-1.amazonaws.com', {}, ['SES_WEBHOOK_TOPIC']],
  ['ses://AK:s@email.eu-north-1.amazonaws.com', { SES_WEBHOOK_TOPIC: 'arn:aws:sns:a:1:b' }, []],
  ['smtp://u:p@smtp.eu.sendgrid.net', { MAILGUN_WEBHOOK_KEY: 'a'.repeat(32) }, ['SENDGRID']],
  ['smtp://u:p@smtp.postmarkapp.com smtp://u:p@smtp.mailgun.org', {}, ['POSTMARK', 'MAILGUN']],
  ['smtp://u:p@email-smtp.eu-north-1.amazonaws.com', {}, []],
  ['smtp://notsendgrid.net', {}, []],
  ['smtp://relay.example?name=out.sendgrid.net', {}, []],
  ['smtp://bounces@mailgun.org:p@relay.example smtp://postmarkapp.com.example', {}, []],
  ['smtp://u:p@SMTP.SendGrid.net:2525', {}, ['SENDGRID']],
])(
  'a missing webhook key causes a warning if the provider uses its own return path: %s %j',
  (SMTP_URL, settings, keys) => {
    const warnings: string[] = [];
    const spy = vi.spyOn(log, 'warn').mockImplementation((message) => void warnings.push(message));
    warnIfNoFeedback(loadConfig({ ...LISTENS, SMTP_URL, ...settings }));
    spy.mockRestore();
    expect(warnings).toHaveLength(keys.length);
    for (const [i, key] of keys.entries()) expect(warnings[i]).toContain(key);
  },
);
