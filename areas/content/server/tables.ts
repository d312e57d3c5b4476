// The tables of this area: written by it alone.

export const TABLES = [
  'brands',
  'contents',
  'content_revisions',
  'images',
  'saved_sections',
  'coupon_pools',
  'coupon_codes',
  'product_picks',
] as const;
