// What messages earned, as every report says it: one line per currency, never added up across them.
import { z } from 'zod';
import { Instant } from '#platform/contract.ts';

export const Earned = z.object({
  /** ISO 4217; empty where the store did not say. */
  currency: z.string(),
  /** Without those that were cancelled. */
  orders: z.number(),
  /** After refunds and cancellations. */
  revenue: z.number(),
});
export type Earned = z.infer<typeof Earned>;

/** What one person bought for. */
export const Worth = z.object({
  currencies: z.array(Earned),
  last_order: Instant,
});
export type Worth = z.infer<typeof Worth>;
