// What the configuration means for mails.
import { expect, test } from 'vitest';
import { loadConfig } from '#platform/server/config.ts';
import { sendingOptions } from './email.ts';

test('a mailbox for unsubscribing is offered only where its mails are taken', () => {
  const mailbox = (environment: Record<string, string>) =>
    sendingOptions(loadConfig(environment)).unsubscribeMailbox;
  expect(mailbox({})).toBeUndefined();
  expect(mailbox({ BOUNCE_DOMAIN: 'b.example' })).toBeUndefined();
  expect(mailbox({ BOUNCE_DOMAIN: 'b.example', RETURN_SMTP_PORT: '2525' })).toBe(
    'unsubscribe@b.example',
  );
});
