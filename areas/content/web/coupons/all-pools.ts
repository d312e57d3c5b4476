// Coupon pools, read by other areas without the editors.
import { api } from '../queries.ts';

/** Coupon pools with their unused codes. */
export const allCouponPools = () => api.query('GET /client-api/api/coupon_pools');
