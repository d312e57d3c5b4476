// Tables of this area, written by it alone.

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
] as const;
