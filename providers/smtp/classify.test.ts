// Tests the classification of SMTP replies with examples of real relays.
import { expect, test } from 'vitest';
import { computeVerdict } from '#areas/delivery/server/ledger/outcomes.ts';
import type { SmtpStep } from '#areas/delivery/server/relays/provider.ts';
import { classify } from './classify.ts';

const rows: [SmtpStep, string, string, string][] = [
  ['dot', '250 2.0.0 Ok: queued as 4FzX', 'accepted', 'message'],
  // The relay defers or throttles us.
  ['mail', '421 4.7.28 Unusual rate of unsolicited mail', 'deferred', 'relay'],
  ['rcpt', '450 4.7.0 Maximum sending rate exceeded', 'deferred', 'relay'],
  ['rcpt', '421 4.3.2 Closing', 'deferred', 'relay'],
  ['dot', '454 Throttling failure: Maximum sending rate exceeded.', 'deferred', 'relay'],
  ['dot', '452 4.3.1 Insufficient system storage', 'deferred', 'relay'],
  ['rcpt', '452 4.5.3 Too many recipients', 'deferred', 'relay'],
  ['mail', '450 4.7.0 Hourly limit exceeded', 'deferred', 'relay'],
  ['mail', '451 Local error', 'deferred', 'relay'],
  // A limit of one sender's domain does not slow down other senders.
  [
    'mail',
    '451 4.1.8 Domain of sender address news@shop.example does not resolve',
    'deferred',
    'message',
  ],
  ['mail', '450 4.1.7 Cannot verify the sender just now', 'deferred', 'message'],
  // The mailbox provider behind one domain limits us.
  ['rcpt', '450 4.7.1 Too many messages from you, slow down', 'deferred', 'domain'],
  ['dot', '421 4.7.28 Gmail has detected an unusual rate of mail', 'deferred', 'domain'],
  ['dot', '451 4.7.650 The mail server has been temporarily rate limited', 'deferred', 'domain'],
  // The mailbox or greylisting delays one recipient.
  ['rcpt', '450 4.2.1 The user is receiving mail too quickly', 'deferred', 'recipient'],
  ['rcpt', '451 4.7.1 Greylisted, come back in 5 minutes', 'deferred', 'recipient'],
  [
    'rcpt',
    '450 4.2.0 <a@b.example>: Recipient address rejected: Greylisted',
    'deferred',
    'recipient',
  ],
  [
    'dot',
    '452 4.2.2 The email account that you tried to reach is over quota',
    'deferred',
    'recipient',
  ],
  ['rcpt', '450 4.1.2 Domain not found', 'deferred', 'recipient'],
  ['rcpt', '451 Local error', 'deferred', 'recipient'],
  // The recipient's address does not exist.
  [
    'rcpt',
    '550 5.1.1 <a@b.example>: Recipient address rejected: User unknown',
    'failed',
    'recipient',
  ],
  ['rcpt', '550 No such user here', 'failed', 'recipient'],
  ['rcpt', '552 5.2.2 Mailbox full', 'failed', 'recipient'],
  ['rcpt', '552 5.2.2 Over quota: the mailbox limit is reached', 'failed', 'recipient'],
  ['dot', '550 5.1.1 No such user', 'failed', 'recipient'],
  // The code concerns the recipient, although the text could concern the sender.
  ['rcpt', '552 5.2.2 User quota exceeded', 'failed', 'recipient'],
  ['dot', '552 5.2.2 account quota exceeded', 'failed', 'recipient'],
  ['rcpt', '452 4.2.2 Daily quota exceeded for this user', 'deferred', 'recipient'],
  ['rcpt', '550 5.2.1 This account is disabled', 'failed', 'recipient'],
  ['rcpt', '550 5.1.1 User account has been suspended', 'failed', 'recipient'],
  // These refusals never mean that the recipient is invalid.
  ['rcpt', '550 5.7.1 Refused by policy', 'failed', 'message'],
  ['dot', '550 5.7.1 Our system has detected that this message is spam', 'failed', 'message'],
  ['dot', '554 Transaction failed', 'failed', 'message'],
  ['dot', '552 5.3.4 Message size exceeds fixed limit', 'failed', 'message'],
  ['dot', '552 5.2.3 Message exceeds the limit of the mailbox', 'failed', 'message'],
  ['dot', '552 5.3.4 Message size limit exceeded', 'failed', 'message'],
  ['mail', '552 5.3.4 The message exceeded the maximum size limit', 'failed', 'message'],
  ['mail', '552 Message size limit exceeded', 'failed', 'message'],
  ['dot', '554 5.6.0 Message header limit exceeded', 'failed', 'message'],
  ['rcpt', '554 Refused', 'failed', 'message'],
  ['mail', '552 Message size exceeds fixed maximum message size', 'failed', 'message'],
  // The relay refuses us.
  ['mail', '550 5.7.1 Sender rejected', 'relay_refused', 'sender'],
  ['mail', '553 5.1.8 Sender address rejected: Domain not found', 'relay_refused', 'sender'],
  ['rcpt', '530 5.7.0 Authentication required', 'relay_refused', 'sender'],
  [
    'rcpt',
    '553 5.7.1 <a@b.example>: Sender address rejected: not owned by user',
    'relay_refused',
    'sender',
  ],
  // Postfix reports sender errors at RCPT; the recipient must not be suppressed for them.
  [
    'rcpt',
    '550 5.1.0 <news@shop.example>: Sender address rejected: User unknown in virtual mailbox table',
    'relay_refused',
    'sender',
  ],
  [
    'rcpt',
    '450 4.1.8 <news@shop.example>: Sender address rejected: Domain not found',
    'relay_refused',
    'sender',
  ],
  ['rcpt', '554 5.7.1 <a@b.example>: Relay access denied', 'relay_refused', 'relay'],
  ['rcpt', '550 relaying not permitted', 'relay_refused', 'relay'],
  ['dot', '550 5.4.5 Daily user sending limit exceeded', 'relay_refused', 'sender'],
  ['dot', '454 Throttling failure: Daily message quota exceeded.', 'relay_refused', 'sender'],
  ['dot', '554 Message rejected: Email address is not verified.', 'relay_refused', 'sender'],
  ['dot', '550 5.7.515 Access denied, sending domain does not meet', 'relay_refused', 'sender'],
  ['dot', '554 5.2.252 SendAsDenied', 'relay_refused', 'sender'],
  [
    'rcpt',
    '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked',
    'relay_refused',
    'sender',
  ],
  ['rcpt', '554 5.7.1 <x>: Client host rejected: Access denied', 'relay_refused', 'sender'],
  ['auth', '535 5.7.8 Username and Password not accepted', 'relay_refused', 'sender'],
  ['banner', '554 No SMTP service here', 'relay_refused', 'sender'],
  ['banner', '450 4.3.2 Later', 'deferred', 'relay'],
  ['auth', '454 4.7.0 Temporary authentication failure', 'deferred', 'relay'],
];

test.each(rows)(
  'a reply to %s, "%s", is classified as %s about %s',
  (at, reply, outcome, about) => {
    const result = classify(at, Number(reply.slice(0, 3)), reply.slice(4));
    expect([result.outcome, result.scope]).toEqual([outcome, about]);
  },
);

const verdict = (at: SmtpStep, reply: string) => {
  const now = new Date('2026-03-01T00:00:00Z');
  const result = classify(at, Number(reply.slice(0, 3)), reply.slice(4));
  return computeVerdict({ strikes: 0, firstAt: now, isSingle: false }, result, now);
};

test.each([
  '550 5.1.1 <a@b.example>: Recipient address rejected: User unknown',
  '550 5.4.1 Recipient address rejected: Access denied. AS(201806281) [AB1.prod.outlook.com]',
  '550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302).',
  '550 Requested action not taken: mailbox unavailable',
  '550 5.0.0 User unknown',
  '550 5.1.351 Remote server returned unknown recipient or mailbox unavailable',
  '550 No such user here',
  '556 5.1.10 Recipient domain takes no mail',
])('the reply %s to RCPT means an invalid address', (reply) => {
  expect(verdict('rcpt', reply)).toMatchObject({
    state: 'failed',
    reason: 'recipient',
    isUnknownRecipient: true,
  });
});

test.each([
  '550 5.7.1 User unknown, or refused by policy',
  '550 5.4.1 No answer from host',
  '550 5.0.0 Blocked by policy',
  '550 5.0.0 Requested action not taken: mailbox unavailable, listed at Spamhaus',
  '552 5.2.2 Mailbox full',
  '554 Refused',
])('the reply %s to RCPT does not suppress the recipient', (reply) => {
  expect(verdict('rcpt', reply)).toMatchObject({ state: 'failed', isUnknownRecipient: false });
});

test('codes and control characters are removed from replies, and long replies are cut', () => {
  expect(classify('dot', 550, '5.7.1 a\n5.7.1 b\u0000\u001b[31mc')).toMatchObject({
    enhancedCode: '5.7.1',
    reply: 'a b [31mc',
  });
  expect(classify('dot', 550, 'x'.repeat(2_000)).reply).toHaveLength(500);
  expect(classify('dot', 550, '').reply).toBe('');
  expect(classify('rcpt', 550, '5.1.1')).toMatchObject({ enhancedCode: '5.1.1', reply: '' });
});
