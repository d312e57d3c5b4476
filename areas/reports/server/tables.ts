// The tables of this area; only this area writes them.

export const TABLES = [
  'report_links',
  'report_sums',
  'attributions',
  'attribution_windows',
] as const;
