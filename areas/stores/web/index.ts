// Exports of the stores area for screens: the revenue of messages, which reports show.
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';

export const Earnings = lazyWithRetry(() => import('./earnings.tsx'));
