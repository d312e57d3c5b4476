// The tables of this area; only this area writes them.

export const TABLES = [
  'webhook_endpoints',
  'webhook_deliveries',
  'webhook_attempts',
  'webhook_secrets',
  'workflow_http_calls',
] as const;
