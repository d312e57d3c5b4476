// The parts of SQL statements about subscribers that differ by channel: address, status, lane, and key
// of the suppression list. `s` is a row of subscribers.
import { type RawBuilder, sql } from 'kysely';
import type { Channel as StatusChannel } from '#areas/subscribers/shared.ts';
import type { Channel } from '../../message-kinds.ts';

type Address = {
  /** SQL: the suppression key; null for a subscriber without such an address. */
  key: RawBuilder<unknown>;
  /** SQL: the address to which the copy is sent. */
  address: RawBuilder<unknown>;
  /** SQL: the lane of a recipient before tiers are applied; see lanes.ts. */
  lane: RawBuilder<unknown>;
};

export const ADDRESS: Record<Channel, Address> = {
  email: { key: sql`s.email_key`, address: sql`s.email`, lane: sql`s.mailbox` },
  // All SMS of a message have one lane, because SMS providers limit rates by the sender's number.
  sms: { key: sql`s.phone_key`, address: sql`s.phone_key`, lane: sql`0::smallint` },
};

/** The channel whose status permits the message. */
export function statusChannelOf(channel: Channel, isMarketing: boolean): StatusChannel {
  if (channel === 'email') return isMarketing ? 'email' : 'temail';
  return isMarketing ? 'sms' : 'tsms';
}

/** SQL: the status of `s` in the channel. */
export const statusOf = (channel: StatusChannel): RawBuilder<unknown> =>
  sql.ref(`s.${channel}_status`);
