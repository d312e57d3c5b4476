// Query for coupon pools for other areas, which do not load the editors.
import { api } from '../queries.ts';

/** Lists coupon pools, each with its number of unused codes. */
export const listCouponPoolsQuery = () => api.query('GET /client-api/api/coupon_pools');
