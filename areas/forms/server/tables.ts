// The tables of forms: nobody else writes them, nor reads them in SQL of their own.

export const TABLES = [
  'forms',
  'form_versions',
  'form_groups',
  'form_submissions',
  'form_confirmations',
  'form_codes',
  'form_spins',
  'form_figures',
  'form_pages',
  'form_proofs',
] as const;
