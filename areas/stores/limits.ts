// Numbers of stores that both halves know.

/** Products that the builder of segments is offered at once; a search finds the others. */
export const PRODUCTS_OFFERED = 200;
/** Orders of one person that are shown; that are given to the person who asks for everything. */
export const ORDERS_SHOWN = 50;
export const ORDERS_EXPORTED = 10_000;

/** Products of all stores of one account. */
export const PRODUCTS_MOST = 100_000;
/** In one call of a shop's plugin. */
export const CUSTOMERS_AT_ONCE = 500;
export const PRODUCTS_AT_ONCE = 100;
export const ORDERS_AT_ONCE = 100;
export const LINES_MOST = 200;
export const STORES_MOST = 100;
/** A cart counts as left after so many minutes, unless its owner chose others. */
export const ABANDONED_MINUTES = 60;
export const ABANDONED_MINUTES_LEAST = 15;
export const ABANDONED_MINUTES_MOST = 7 * 24 * 60;
/** Categories that the builder of segments is offered. */
export const CATEGORIES_OFFERED = 500;
