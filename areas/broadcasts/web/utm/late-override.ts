// Loaded when a campaign has UTM parameters.
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';

export const UtmOverrideFields = lazyWithRetry(() => import('./utm-override.tsx'));
