// The tables of this area; only this area writes them.

export const TABLES = [
  'endpoints',
  'endpoint_events',
  'endpoint_attempts',
  'signing_secrets',
  'webhook_calls',
] as const;
