// 'Why' for other screens: for a row in a list, or for a typed subscriber. Loaded on first use and
// retained: a closing dialog returns the focus.
import { Suspense, useRef } from 'react';
import type { WhyQuestionDialogProps } from './find-why-dialog.tsx';
import type { WhyDialogProps } from './why-dialog.tsx';
import { late } from '#platform/web/shell/lazy-with-retry.ts';

const LazyWhy = late(() => import('./why-dialog.tsx'));
const LazyWhyQuestionDialog = late(() => import('./find-why-dialog.tsx'));

export function WhyDialog(props: WhyDialogProps) {
  const wasOpened = useRef(false);
  wasOpened.current ||= props.question !== undefined;
  return <Suspense fallback={null}>{wasOpened.current && <LazyWhy {...props} />}</Suspense>;
}

export function WhyQuestionDialog(props: WhyQuestionDialogProps) {
  const wasOpened = useRef(false);
  wasOpened.current ||= props.isOpen;
  return (
    <Suspense fallback={null}>{wasOpened.current && <LazyWhyQuestionDialog {...props} />}</Suspense>
  );
}
