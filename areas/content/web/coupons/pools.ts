// The path of the calls of coupon pools, for the settings and for coupon blocks.
export const POOLS = '/client-api/api/coupon_pools';
