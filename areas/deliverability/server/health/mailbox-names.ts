// Names of mailbox providers by their number.
import { type Mailbox, MAILBOXES } from '#areas/subscribers/shared.ts';

const NAMES = new Map(
  Object.entries(MAILBOXES).map(([name, number]) => [number as number, name as Mailbox]),
);

export const getMailboxName = (mailbox: number): Mailbox => NAMES.get(mailbox) ?? 'other';
