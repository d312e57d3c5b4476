// The tables of this area, which only this area writes, and the columns that SQL of higher areas
// may read.
import type { SeriesRule } from '../../broadcasts/series-rule.ts';
import type { BroadcastTiming } from '#areas/broadcasts/timing-contract.ts';
import type { LeadId } from '#areas/delivery/lead-id.ts';
import type { UtmValues } from '#areas/content/utm.ts';

export const TABLES = [
  'sms_campaigns',
  'sms_experiments',
  'sms_variants',
  'sms_campaign_groups',
  'sms_campaign_segments',
  'sms_series',
  'sms_settings',
  'phones',
  'phone_owners',
  'phone_codes',
  'phone_code_sends',
  'phone_compliance',
  'sms_inbound',
  'sms_providers',
] as const;

declare module '#platform/server/database/database.generated.ts' {
  interface JsonColumns {
    'sms_campaigns.utm': UtmValues;
    'sms_campaigns.timing': BroadcastTiming | null;
  }
  interface IdColumns {
    'sms_campaigns.message_id': LeadId;
  }
}

export const READABLE = {
  sms_campaigns: ['account_id', 'id', 'title', 'message_id', 'sent_at', 'deleted_at'],
  sms_inbound: [
    'account_id',
    'id',
    'subscriber_id',
    'text',
    'keyword',
    'message_id',
    'received_at',
  ],
} as const;

declare module '#platform/server/database/database.generated.ts' {
  interface JsonColumns {
    'sms_series.rule': SeriesRule;
  }
}
