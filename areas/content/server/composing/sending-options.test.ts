// Settings of the configuration that apply to emails.
import { expect, test } from 'vitest';
import { loadConfig } from '#platform/server/config.ts';
import { readSendingOptions } from './email.ts';

test('an unsubscribe mailbox is offered only if its emails are processed', () => {
  const mailbox = (environment: Record<string, string>) =>
    readSendingOptions(loadConfig(environment)).unsubscribeMailbox;
  expect(mailbox({})).toBeUndefined();
  expect(mailbox({ BOUNCE_DOMAIN: 'b.example' })).toBeUndefined();
  expect(mailbox({ BOUNCE_DOMAIN: 'b.example', RETURN_SMTP_PORT: '2525' })).toBe(
    'unsubscribe@b.example',
  );
});
