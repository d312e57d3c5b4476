// The tables of this area. Only this area writes them; these columns may be read by the SQL of
// higher floors (always with `account_id = $1`).

export const TABLES = [
  'deferrals',
  'delivery_counts',
  'lanes',
  'leases',
  'messages',
  'compacted_ranges',
  'recipients',
  'relay_allowances',
  'relays',
  'results',
  'sent_times',
  'single_sends',
  'sms_results',
  'sms_parts',
  'warm_ups',
  'provider_hooks',
] as const;

export const READABLE = {
  messages: ['account_id', 'id', 'channel', 'kind', 'source_id', 'frozen', 'frozen_hash', 'state'],
} as const;
