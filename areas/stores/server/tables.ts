// The tables of this area, written by it alone, and their columns that higher floors may read in their
// own SQL (always with
// `account_id = $1`).

export const TABLES = [
  'stores',
  'products',
  'orders',
  'order_products',
  'carts',
  'cart_products',
  'shop_visits',
  'shoppers',
] as const;

export const READABLE = {
  stores: ['account_id', 'id', 'type', 'title', 'domain', 'currency'],
  products: ['account_id', 'id', 'store_id', 'title', 'sku', 'price', 'currency', 'image_url'],
  orders: [
    'account_id',
    'id',
    'store_id',
    'subscriber_id',
    'number',
    'total',
    'currency',
    'placed_at',
    'cancelled_at',
    'refunded_at',
  ],
  order_products: [
    'account_id',
    'order_id',
    'subscriber_id',
    'product_id',
    'title',
    'quantity',
    'is_cancelled',
  ],
  carts: ['account_id', 'id', 'store_id', 'subscriber_id', 'product_count', 'closed_at'],
  shop_visits: ['account_id', 'subscriber_id', 'at', 'kind', 'store_id'],
  shoppers: [
    'account_id',
    'subscriber_id',
    'order_count',
    'order_amount',
    'first_order_at',
    'last_order_at',
    'last_refund_at',
    'cart_product_count',
    'last_cart_at',
    'last_checkout_at',
  ],
} as const;
