// The fields of a campaign's own UTM parameters, loaded when the campaign has UTM parameters.
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';

export const UtmOverrideFields = lazyWithRetry(() => import('./utm-override.tsx'));
