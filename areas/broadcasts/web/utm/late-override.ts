// Loaded when a campaign has UTM parameters.
import { late } from '#platform/web/shell/lazy-with-retry.ts';

export const UtmOverrideFields = late(() => import('./utm-override.tsx'));
