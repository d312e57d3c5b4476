// The panel of a campaign that is not a draft. It is loaded on first use, because reviews of drafts
// do not need it.
import { Suspense } from 'react';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import type { SendingPanelProps } from './sending-panel.tsx';

const Panel = lazyWithRetry(() => import('./sending-panel.tsx'));

export function SendingPanel(props: SendingPanelProps) {
  return (
    <Suspense>
      <Panel {...props} />
    </Suspense>
  );
}
