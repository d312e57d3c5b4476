// The tables of this area, which only this area writes, and the columns that SQL of higher layers
// may read (always with a condition on `account_id`).
import type { FrozenSmsMessage } from './channels/sms.ts';
import type { Audience } from './ledger/audience.sql.ts';
import type { Frozen } from './ledger/messages.ts';

export const TABLES = [
  'deferrals',
  'lane_counts',
  'delivery_counts',
  'lanes',
  'leases',
  'message_holdouts',
  'messages',
  'compacted_ranges',
  'recipient_runs',
  'recipients',
  'provider_caps',
  'relay_allowances',
  'relays',
  'results',
  'send_hours',
  'sent_times',
  'single_sends',
  'sms_results',
  'sms_parts',
  'warm_ups',
  'provider_hooks',
] as const;

export const READABLE = {
  messages: [
    'account_id',
    'id',
    'channel',
    'kind',
    'source_id',
    'group_of',
    'frozen',
    'frozen_hash',
    'state',
    'state_reason',
    'created_at',
    'first_handed_over_at',
    'finished_at',
  ],
  lanes: ['account_id', 'message_id', 'lane', 'written', 'leased', 'opens_at', 'closes_at'],
  deferrals: ['account_id', 'message_id', 'lane', 'first_at'],
  lane_counts: [
    'account_id',
    'message_id',
    'lane',
    'day',
    'accepted',
    'deferred',
    'failed',
    'throttled',
  ],
} as const;

declare module '#platform/server/database/database.generated.ts' {
  interface JsonColumns {
    /** FrozenSmsMessage for SMS, Frozen for emails. */
    'messages.frozen': Frozen | FrozenSmsMessage;
    /** Empty for messages without an audience. */
    'messages.audience': Partial<Audience>;
  }
}
