// The meanings that an account can choose for a store's own order states; shared by browser and
// server.

export const ORDER_MEANINGS = ['paid', 'fulfilled', 'unpaid', 'cancelled', 'refunded'] as const;
export type OrderMeaning = (typeof ORDER_MEANINGS)[number];
/**
 * Maximum number of order states with a chosen meaning: in a request, per store, and on the screen.
 */
export const MAX_ORDER_STATES = 100;
