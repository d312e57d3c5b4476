// The tables of this area, written by it alone.

export const TABLES = ['endpoints', 'endpoint_events', 'signing_secrets', 'webhook_calls'] as const;
