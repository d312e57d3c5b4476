// Revenue attributed to messages, in all reports: one line per currency, never added across
// currencies.
import { z } from 'zod';
import { Instant } from '#platform/contract.ts';

export const Earned = z.object({
  /** ISO 4217; empty if unknown. */
  currency: z.string(),
  /** Without canceled orders. */
  orders: z.number(),
  /** After refunds and cancellations. */
  revenue: z.number(),
});
export type Earned = z.infer<typeof Earned>;

/** Purchases of one person. */
export const Worth = z.object({
  currencies: z.array(Earned),
  last_order: Instant,
});
export type Worth = z.infer<typeof Worth>;
