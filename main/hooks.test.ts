// The keys of providers' webhooks in the configuration: what cannot be one stops the start by name.
import { expect, test } from 'vitest';
import { loadConfig } from '#platform/server/config.ts';
import { providerHooks } from './hooks.ts';

test.each([
  ['SES_WEBHOOK_TOPIC', 'arn:aws:sqs:eu-north-1:123456789012:mails', 'the ARN of an SNS topic'],
  ['SENDGRID_WEBHOOK_KEY', 'nonsense', 'the verification key that SendGrid shows'],
  ['POSTMARK_WEBHOOK_LOGIN', 'hook:short', 'user:password'],
  ['MAILGUN_WEBHOOK_KEY', 'key', 'the signing key that Mailgun shows'],
])('%s', (variable, value, words) => {
  const start = () => providerHooks(loadConfig({ [variable]: value }));
  expect(start).toThrow(`${variable} is not valid: it must be ${words}`);
});
