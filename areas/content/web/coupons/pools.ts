// The path of the coupon pool calls, for the settings and for coupon blocks.
export const POOLS = '/client-api/api/coupon_pools';
