// The query of coupon pools, in a module that other areas can import without loading the editors.
import { api } from '../queries.ts';

/** Lists coupon pools, each with its number of unused codes. */
export const listCouponPoolsQuery = () => api.query('GET /client-api/api/coupon_pools');
