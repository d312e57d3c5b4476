// The tables of this area; only this area writes them.

export const TABLES = [
  'report_files',
  'domain_reports',
  'dmarc_sums',
  'tls_sums',
  'domain_sources',
] as const;
