// Limits of stores, shared by server and web.

/** Maximum products listed in the segment builder; a search finds the others. */
export const MAX_PRODUCTS_OFFERED = 200;
/** Maximum orders of one subscriber in the web app, and in an export of the subscriber's data. */
export const MAX_ORDERS_SHOWN = 50;
export const MAX_ORDERS_EXPORTED = 10_000;

/** Maximum products per account across all stores. */
export const MAX_PRODUCTS = 100_000;
/** Maximum customers, products and orders in one call of a store's plugin. */
export const MAX_CUSTOMERS_PER_CALL = 500;
export const MAX_PRODUCTS_PER_CALL = 100;
export const MAX_ORDERS_PER_CALL = 100;
export const MAX_LINES = 200;
export const MAX_STORES = 100;
/** Default minutes after which a cart is treated as abandoned. */
export const ABANDONED_MINUTES = 60;
export const MIN_ABANDONED_MINUTES = 15;
export const MAX_ABANDONED_MINUTES = 7 * 24 * 60;
/** Maximum categories listed in the segment builder. */
export const MAX_CATEGORIES_OFFERED = 500;

/** Permissions that an app of Shopify needs. */
export const SHOPIFY_SCOPES = ['read_customers', 'read_orders', 'read_products'] as const;

/** Platforms with a plugin that the store's screen offers. */
export const PLUGIN_PLATFORMS = ['wordpress', 'prestashop'] as const;
export type PluginPlatform = (typeof PLUGIN_PLATFORMS)[number];
