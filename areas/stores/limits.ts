// Numbers of stores that both halves know.

/** Products that the builder of segments is offered at once; a search finds the others. */
export const PRODUCTS_OFFERED = 200;
/** Orders of one person that are shown; that are given to the person who asks for everything. */
export const ORDERS_SHOWN = 50;
export const ORDERS_EXPORTED = 10_000;
