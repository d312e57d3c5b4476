// Web interface of stores: revenue in all reports.
import { late } from '#platform/web/shell/lazy-with-retry.ts';

export { useAmount } from '#platform/web/texts/amount.ts';
export const Earnings = late(() => import('./earnings.tsx'));
