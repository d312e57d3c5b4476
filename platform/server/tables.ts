// The platform's own tables: areas know its functions alone.

export const TABLES = [
  'files',
  'idempotency_keys',
  'instance_settings',
  'processes',
  'rate_buckets',
] as const;
