// Query for coupon pools for other areas, which do not load the editors.
import { api } from '../queries.ts';

/** Coupon pools, each with the number of its unused codes. */
export const listCouponPoolsQuery = () => api.query('GET /client-api/api/coupon_pools');
