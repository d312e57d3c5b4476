// Tables of this area, written by it alone.

export const TABLES = [
  'billing_accounts',
  'charges',
  'coupon_counts',
  'coupon_uses',
  'credit_entries',
  'credit_holds',
  'email_usage',
  'gateway_events',
  'invoices',
  'payment_methods',
  'plan_orders',
  'refunds',
  'subscriptions',
] as const;
