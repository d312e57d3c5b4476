// Findings about SMS campaigns and their strings, loaded by screens of lower areas.
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { areaTexts } from '#platform/web/texts/texts.ts';
import type { SmsFinding } from '../contract.ts';

const SmsFindings = lazyWithRetry(async () => {
  const load = import('./campaign/findings.tsx');
  const [module] = await Promise.all([load, areaTexts(['sms'])]);
  return module;
});

export const smsFindings = (findings: readonly object[]) => (
  <SmsFindings findings={findings as readonly SmsFinding[]} />
);
