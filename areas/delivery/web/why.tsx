// The delivery explanation for other screens: for a row of a list, or after a search for a
// subscriber or a campaign. The dialogs are loaded on first use and stay mounted, so that a closing
// dialog can return the focus.
import { Suspense } from 'react';
import type { DeliveryExplanationDialogProps } from './delivery-explanation-dialog.tsx';
import type { WhyDialogProps } from './why-dialog.tsx';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { useWasOpened } from '#platform/web/hooks/use-was-opened.ts';

const LazyWhy = lazyWithRetry(() => import('./why-dialog.tsx'));
const LazyDeliveryExplanationDialog = lazyWithRetry(
  () => import('./delivery-explanation-dialog.tsx'),
);

export function WhyDialog(props: WhyDialogProps) {
  const wasOpened = useWasOpened(props.question !== undefined);
  return <Suspense fallback={null}>{wasOpened && <LazyWhy {...props} />}</Suspense>;
}

export function DeliveryExplanationDialog(props: DeliveryExplanationDialogProps) {
  const wasOpened = useWasOpened(props.isOpen);
  return (
    <Suspense fallback={null}>{wasOpened && <LazyDeliveryExplanationDialog {...props} />}</Suspense>
  );
}
