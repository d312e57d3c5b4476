// Web interface of stores: revenue in all reports.
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';

export const Earnings = lazyWithRetry(() => import('./earnings.tsx'));
