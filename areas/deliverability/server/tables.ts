// The tables that only this area writes.
import type { MeasuredCause, HealthCounts } from './health/health.ts';
import type { WaitCounts } from './forecast/retries.ts';
import type { CurrencyRevenue } from './forecast/revenue.ts';
import type { PilotReading } from './pilot/readings.ts';
import type { CampaignForecast, Truth } from '../forecast-contract.ts';

export const TABLES = [
  'report_files',
  'domain_reports',
  'dmarc_sums',
  'tls_sums',
  'domain_sources',
  'domain_health',
  'mailbox_checks',
  'sending_ips',
  'blocklist_states',
  'domain_signals',
  'domain_compliance',
  'campaign_signals',
  'postmaster_connections',
  'snds_days',
  'seed_mailboxes',
  'seed_copies',
  'bimi_states',
  'sealed_campaigns',
  'send_cells',
  'forecasts',
  'pilots',
  'pilot_moves',
] as const;

declare module '#platform/server/database/database.generated.ts' {
  interface JsonColumns {
    'domain_health.causes': MeasuredCause[];
    'domain_health.figures': Partial<HealthCounts>;
    'sealed_campaigns.earned': CurrencyRevenue[];
    'sealed_campaigns.waits': WaitCounts | null;
    'forecasts.forecast': CampaignForecast;
    'forecasts.truth': Truth | null;
    'pilots.readings': PilotReading[];
  }
}
