// Lanes: recipients of a message behind one mailbox provider; on a domain that warms up,
// subscribers without recent engagement have separate lanes, behind the others.
import { MAILBOXES } from '#areas/subscribers/shared.ts';

export const TIER = 100;

export const LANES = [0, 1].flatMap((tier) =>
  Object.values(MAILBOXES).map((mailbox) => tier * TIER + mailbox),
);

export const mailboxOfLane = (lane: number) => lane % TIER;
