// API calls of billing.
import { useQuery } from '@tanstack/react-query';
import { client } from '#platform/web/api/api.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import type { calls } from '../contract.ts';

export const api = client<typeof calls>();

export const BILLING = '/client-api/api/billing';
export const METHODS = '/client-api/api/payment-methods';
export const INVOICES = '/client-api/api/invoices';
export const ORDERS = '/client-api/api/orders';

export const useBilling = () => useQuery(api.query('GET /client-api/api/billing'));
export const usePlans = () =>
  useQuery({ ...api.query('GET /client-api/api/billing/plans'), staleTime: 300_000 });

/** All plans on sale, and the free plan. */
export type Plans = NonNullable<ReturnType<typeof usePlans>['data']>['data'];

/** Invalidates the billing queries of all screens after a payment or change. */
export const invalidateBilling = () =>
  invalidate(BILLING, METHODS, INVOICES, ORDERS, '/client-api/api/users');

/** Converts minor units, such as cents, to units of the currency. */
export const toMajorUnits = (minor: number) => minor / 100;
