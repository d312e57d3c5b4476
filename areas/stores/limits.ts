// Numbers of stores that both halves know.

/** Products that the builder of segments is offered at once; a search finds the others. */
export const PRODUCTS_OFFERED = 200;
/** Orders of one person that are shown. */
export const ORDERS_SHOWN = 50;
