// The tables that only this area writes, and the columns that higher areas may read in their own
// SQL (always with `account_id = $1`).
import type { SeriesRule } from '../../broadcasts/series-rule.ts';
import type { BroadcastTiming } from '#areas/broadcasts/timing-contract.ts';
import type { LeadId } from '#areas/delivery/lead-id.ts';
import type { UtmOverride } from '#areas/content/utm-contract.ts';

export const TABLES = [
  'campaigns',
  'campaign_experiments',
  'campaign_groups',
  'campaign_resends',
  'campaign_segments',
  'campaign_variants',
  'campaign_series',
] as const;

declare module '#platform/server/database/database.generated.ts' {
  interface JsonColumns {
    'campaigns.utm': UtmOverride;
    'campaigns.timing': BroadcastTiming | null;
  }
  interface IdColumns {
    'campaigns.message_id': LeadId;
  }
}

export const READABLE = {
  campaigns: ['account_id', 'id', 'message_id', 'sent_at', 'deleted_at'],
} as const;

declare module '#platform/server/database/database.generated.ts' {
  interface JsonColumns {
    'campaign_series.rule': SeriesRule;
  }
}
