// The tables of this area, written by it alone.

export const TABLES = [
  'endpoints',
  'endpoint_events',
  'endpoint_attempts',
  'signing_secrets',
  'webhook_calls',
] as const;
