// Schemas of revenue with one line per currency; amounts in different currencies are never added.
// All reports use `Earned` for the revenue attributed to messages.
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

/** All purchases of a subscriber, attributed to a message or not. */
export const Worth = z.object({
  currencies: z.array(Earned),
  last_order: Instant,
});
export type Worth = z.infer<typeof Worth>;
