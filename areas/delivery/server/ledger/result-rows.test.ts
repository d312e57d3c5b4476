// Lanes of single sends.
import { expect, test } from 'vitest';
import { MAILBOXES } from '#areas/subscribers/shared.ts';
import { getSingleLane } from './result-rows.ts';

test.each([
  ['a@Gmail.com', null, MAILBOXES.gmail],
  // The recipient address takes precedence over the subscriber's stored mailbox provider, which may
  // belong to a newer address.
  ['a@gmail.com', MAILBOXES.microsoft365, MAILBOXES.gmail],
  ['a@firm.example', MAILBOXES.microsoft365, MAILBOXES.microsoft365],
  ['a@firm.example', MAILBOXES.gmail, MAILBOXES.other],
  ['a@firm.example', null, MAILBOXES.other],
  ['+4799999999', null, MAILBOXES.other],
])('a single send to %s of a subscriber at %s is in lane %i', (recipient, mailbox, lane) => {
  expect(getSingleLane(recipient, mailbox)).toBe(lane);
});
