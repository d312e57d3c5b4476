// 'Why' for other screens: for a row in a list, or for a typed subscriber. Its code is loaded on
// first use and stays mounted, so that a closing dialog can return the focus.
import { Suspense } from 'react';
import type { WhyQuestionDialogProps } from './find-why-dialog.tsx';
import type { WhyDialogProps } from './why-dialog.tsx';
import { late } from '#platform/web/shell/lazy-with-retry.ts';
import { useWasOpened } from '#platform/web/hooks/use-was-opened.ts';

const LazyWhy = late(() => import('./why-dialog.tsx'));
const LazyWhyQuestionDialog = late(() => import('./find-why-dialog.tsx'));

export function WhyDialog(props: WhyDialogProps) {
  const wasOpened = useWasOpened(props.question !== undefined);
  return <Suspense fallback={null}>{wasOpened && <LazyWhy {...props} />}</Suspense>;
}

export function WhyQuestionDialog(props: WhyQuestionDialogProps) {
  const wasOpened = useWasOpened(props.isOpen);
  return <Suspense fallback={null}>{wasOpened && <LazyWhyQuestionDialog {...props} />}</Suspense>;
}
