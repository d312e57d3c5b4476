// The platform's own tables; areas use its functions only.

export const TABLES = [
  'files',
  'idempotency_keys',
  'instance_settings',
  'processes',
  'rate_buckets',
] as const;
