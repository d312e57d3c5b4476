// The tables of this area. Only this area writes them; no higher area reads them in its own SQL.
import type { EmailDocument, Section } from '../document.ts';
import type { UtmValues } from '../utm.ts';

export const TABLES = [
  'brands',
  'contents',
  'content_revisions',
  'content_attachments',
  'images',
  'saved_sections',
  'saved_templates',
  'coupon_pools',
  'coupon_codes',
  'product_picks',
  'test_recipients',
  'utm_defaults',
] as const;

declare module '#platform/server/database/database.generated.ts' {
  interface JsonColumns {
    'saved_sections.section': Section;
    'saved_templates.document': EmailDocument;
    'utm_defaults.values': UtmValues;
  }
}
