// The panel of the repetition, loaded after the review.
import { Suspense } from 'react';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import type { RepeatPanelProps } from './repeat-panel.tsx';

const Panel = lazyWithRetry(() => import('./repeat-panel.tsx'));

export function RepeatPanel(props: RepeatPanelProps) {
  return (
    <Suspense>
      <Panel {...props} />
    </Suspense>
  );
}
