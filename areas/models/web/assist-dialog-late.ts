// The dialog is rarely opened, so it and its strings are loaded when it first opens.
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { areaTexts } from '#platform/web/texts/texts.ts';

export const AssistDialog = lazyWithRetry(async () => {
  const [module] = await Promise.all([import('./assist-dialog.tsx'), areaTexts(['models'])]);
  return module;
});
