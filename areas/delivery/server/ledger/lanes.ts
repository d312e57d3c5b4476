// Lanes: recipients of a message behind one mailbox provider; of a domain that is warmed up, those who did
// not read of late stand in lanes of their own, behind the others.
import { MAILBOXES } from '#areas/subscribers/limits.ts';

export const TIER = 100;

export const LANES = [0, 1].flatMap((tier) =>
  Object.values(MAILBOXES).map((mailbox) => tier * TIER + mailbox),
);

export const mailboxOfLane = (lane: number) => lane % TIER;
