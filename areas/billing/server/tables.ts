// The tables of this area. Only this area writes them; no higher area reads them in its own SQL.
import type { Buyer, Seller } from './invoices.ts';
import type { FrozenPlan, InvoiceLine } from './prices.ts';
import type { NextPlan } from './renewals.ts';

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

declare module '#platform/server/database/database.generated.ts' {
  interface JsonColumns {
    'invoices.buyer': Buyer;
    'invoices.lines': InvoiceLine[];
    'invoices.seller': Seller;
    'plan_orders.lines': InvoiceLine[];
    'plan_orders.plan': FrozenPlan;
    'subscriptions.next': NextPlan;
    'subscriptions.plan': FrozenPlan;
  }
}
