// The tables of forms: no other area writes them or reads them in its own SQL.
import type { FormDocument, Snapshot } from '#embed/forms/shared/document.ts';
import type { FormAnswers } from '#embed/forms/shared/validate.ts';
import type { FormSettings } from '../settings-contract.ts';
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
    'form_submissions.answers': FormAnswers;
    'form_submissions.prize': Prize;
    'form_versions.document': FormDocument;
    'form_versions.settings': FormSettings;
    'form_versions.snapshot': Snapshot;
    'forms.document': FormDocument;
    'forms.settings': FormSettings;
  }
}
