// What channels differ in where statements read people: whose address, whose status, whose list. `s` is a row of
// subscribers.
import { type RawBuilder, sql } from 'kysely';
import type { Channel as StatusChannel } from '#areas/subscribers/limits.ts';
import type { Channel } from '../../message-kinds.ts';

type Address = {
  /** SQL: what is suppressed by; null where the person has no such address. */
  key: RawBuilder<unknown>;
  /** SQL: where a copy goes. */
  address: RawBuilder<unknown>;
  /** SQL: the lane of a recipient before any tier; see lanes.ts. */
  lane: RawBuilder<unknown>;
};

export const ADDRESS: Record<Channel, Address> = {
  email: { key: sql`s.email_key`, address: sql`s.email`, lane: sql`s.mailbox` },
  // One lane: providers of texts limit by the number that sends, not by who receives.
  sms: { key: sql`s.phone_key`, address: sql`s.phone_key`, lane: sql`0::smallint` },
};

/** The channel that a message's permission is asked in. */
export function statusChannelOf(channel: Channel, isMarketing: boolean): StatusChannel {
  if (channel === 'email') return isMarketing ? 'email' : 'temail';
  return isMarketing ? 'sms' : 'tsms';
}

/** SQL: the status of `s` there. */
export const statusOf = (channel: StatusChannel): RawBuilder<unknown> =>
  sql.ref(`s.${channel}_status`);
