// The tables of this area: written by it alone.

export const TABLES = [
  'report_links',
  'report_sums',
  'attributions',
  'attribution_windows',
] as const;
