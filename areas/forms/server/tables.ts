// The tables of forms: no other area writes them or reads them in its own SQL.

export const TABLES = [
  'forms',
  'form_versions',
  'form_groups',
  'form_submissions',
  'form_confirmations',
  'form_codes',
  'form_spins',
  'form_stats',
  'form_pages',
  'form_proofs',
  'form_sites',
] as const;
