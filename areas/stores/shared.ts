// Limits of stores, shared by server and web.

/** Maximum products listed in the segment builder; a search finds the others. */
export const PRODUCTS_OFFERED = 200;
/** Maximum orders of one person in the web app, and in a data export of that person. */
export const ORDERS_SHOWN = 50;
export const ORDERS_EXPORTED = 10_000;

/** Maximum products per account over all stores. */
export const MAX_PRODUCTS = 100_000;
/** Maximum customers in one call of a store's plugin. */
export const CUSTOMERS_AT_ONCE = 500;
export const PRODUCTS_AT_ONCE = 100;
export const ORDERS_AT_ONCE = 100;
export const MAX_LINES = 200;
export const MAX_STORES = 100;
/** Default minutes after which a cart counts as abandoned. */
export const ABANDONED_MINUTES = 60;
export const MIN_ABANDONED_MINUTES = 15;
export const MAX_ABANDONED_MINUTES = 7 * 24 * 60;
/** Maximum categories listed in the segment builder. */
export const CATEGORIES_OFFERED = 500;

/** Permissions that an app of Shopify needs. */
export const SHOPIFY_SCOPES = ['read_customers', 'read_orders', 'read_products'] as const;

/** Platforms whose plugin the store's screen offers. */
export const PLUGIN_PLATFORMS = ['wordpress', 'prestashop'] as const;
export type PluginPlatform = (typeof PLUGIN_PLATFORMS)[number];
