// Coupon pools, used by the settings and by coupon blocks.
export const POOLS = '/client-api/api/coupon_pools';
