// The notice that another tab saved a different version, and its strings, loaded on first use.
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { areaTexts } from '#platform/web/texts/texts.ts';

export const LateStaleNotice = lazyWithRetry(async () => {
  const load = import('#platform/web/editing/stale-notice.tsx');
  const [{ StaleNotice }] = await Promise.all([load, areaTexts(['editing'])]);
  return { default: StaleNotice };
});
