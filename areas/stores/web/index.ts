// The web door of stores: what reports of all kinds say about orders.
import { late } from '#platform/web/late.ts';

export { useAmount } from './amount.ts';
export const Earnings = late(() => import('./earnings.tsx'));
