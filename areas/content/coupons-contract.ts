// Coupon pools: single-use codes for coupon blocks.
import { z } from 'zod';
import {
  dataResponse,
  defineCalls,
  SuccessResponse,
  Id,
  idOf,
  Instant,
  line,
} from '#platform/contract.ts';
import { MAX_GENERATED } from './shared.ts';

export const CouponPool = z.object({
  id: Id,
  title: z.string(),
  total: z.number(),
  /** Number of unused codes. */
  left: z.number(),
  created: Instant,
});
export type CouponPool = z.infer<typeof CouponPool>;

const pool = dataResponse(CouponPool);
/** `doubled`: number of codes that the pool contained already, used or not. */
const AddedCodesResponse = dataResponse(
  z.object({ pool: CouponPool, added: z.number(), doubled: z.number() }),
);
const params = z.object({ id: idOf('coupon_pool') });
const body = z.strictObject({ title: line(100, 1) });

export const couponCalls = defineCalls({
  listPools: {
    method: 'GET',
    path: '/client-api/api/coupon_pools',
    caller: 'account',
    summary: 'List coupon pools with remaining codes',
    description: 'Returns the pools sorted by title.',
    response: dataResponse(z.array(CouponPool)),
  },
  createPool: {
    method: 'POST',
    path: '/client-api/api/coupon_pools',
    caller: 'account',
    summary: 'Create a coupon pool',
    body,
    response: pool,
    errors: { too_many_pools: 422 },
  },
  renamePool: {
    method: 'PUT',
    path: '/client-api/api/coupon_pools/{id}',
    caller: 'account',
    summary: 'Rename a coupon pool',
    params,
    body,
    response: pool,
  },
  deletePool: {
    method: 'DELETE',
    path: '/client-api/api/coupon_pools/{id}',
    caller: 'account',
    summary: 'Delete a coupon pool',
    description: 'Deletes the unused codes of the pool, too.',
    params,
    response: SuccessResponse,
  },
  addCodes: {
    method: 'POST',
    path: '/client-api/api/coupon_pools/{id}/codes',
    caller: 'account',
    summary: 'Add codes to a coupon pool',
    description: 'Accepts one code per line, or a CSV file with the codes in its first column.',
    params,
    body: z.strictObject({ codes: z.string().min(1) }),
    response: AddedCodesResponse,
    errors: { too_many_codes: 422 },
    bodyLimit: 16 * 1024 * 1024,
  },
  generateCodes: {
    method: 'POST',
    path: '/client-api/api/coupon_pools/{id}/generate',
    caller: 'account',
    summary: 'Create random codes in a coupon pool',
    description: 'Each code is a prefix followed by eight letters and digits.',
    params,
    body: z.strictObject({
      count: z.int().min(1).max(MAX_GENERATED),
      prefix: z.string().regex(/^[\w-]{0,20}$/),
    }),
    response: AddedCodesResponse,
    errors: { too_many_codes: 422 },
  },
});
