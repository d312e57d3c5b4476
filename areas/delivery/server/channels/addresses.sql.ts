// The parts of SQL statements about subscribers that differ by channel: address, status, lane and
// suppression key. `s` is a row of subscribers.
import { type RawBuilder, sql } from 'kysely';
import type { Channel as StatusChannel } from '#areas/subscribers/shared.ts';
import type { MessageChannel } from '../../message-kinds.ts';

type ChannelColumns = {
  /** SQL: the suppression key; null for a subscriber without such an address. */
  key: RawBuilder<unknown>;
  /** SQL: the address that the message is sent to. */
  address: RawBuilder<unknown>;
  /**
   * SQL: the base lane of a recipient, without the offsets for engagement tier and wave; see
   * ../ledger/lanes.ts.
   */
  lane: RawBuilder<unknown>;
};

export const ADDRESS: Record<MessageChannel, ChannelColumns> = {
  email: { key: sql`s.email_key`, address: sql`s.email`, lane: sql`s.mailbox` },
  // All SMS of a message have the same base lane, because SMS providers limit rates per sender
  // number, not per mailbox provider.
  sms: { key: sql`s.phone_key`, address: sql`s.phone_key`, lane: sql`0::smallint` },
};

/**
 * Returns the subscription channel whose status decides whether a subscriber may get the message:
 * marketing or transactional.
 */
export function getStatusChannel(channel: MessageChannel, isMarketing: boolean): StatusChannel {
  if (channel === 'email') return isMarketing ? 'email' : 'temail';
  return isMarketing ? 'sms' : 'tsms';
}

/** SQL: the status of subscriber `s` in a channel. */
export const selectStatus = (channel: StatusChannel): RawBuilder<unknown> =>
  sql.ref(`s.${channel}_status`);
