// The tables of forms: no other area writes them or reads them in its own SQL.
import type { FormDocument, Snapshot } from '#embed/forms/shared/document.ts';
import type { Answers } from '#embed/forms/shared/validate.ts';
import type { Settings } from '../settings-contract.ts';
import type { Prize } from './wheel.ts';

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

declare module '#platform/server/database/database.generated.ts' {
  interface JsonColumns {
    'form_submissions.answers': Answers;
    'form_submissions.prize': Prize;
    'form_versions.document': FormDocument;
    'form_versions.settings': Settings;
    'form_versions.snapshot': Snapshot;
    'forms.document': FormDocument;
    'forms.settings': Settings;
  }
}
