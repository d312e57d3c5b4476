// 'Why' for other screens: for a row in a list, or for a typed subscriber. Loaded on first use and
// retained: a closing dialog returns the focus.
import { lazy, Suspense, useRef } from 'react';
import type { AskWhyDialogProps } from './ask-why-dialog.tsx';
import type { WhyDialogProps } from './why-dialog.tsx';

const LazyWhy = lazy(() => import('./why-dialog.tsx'));
const LazyAskWhy = lazy(() => import('./ask-why-dialog.tsx'));

export function WhyDialog(props: WhyDialogProps) {
  const wasAsked = useRef(false);
  wasAsked.current ||= props.question !== undefined;
  return <Suspense fallback={null}>{wasAsked.current && <LazyWhy {...props} />}</Suspense>;
}

export function AskWhyDialog(props: AskWhyDialogProps) {
  const wasOpened = useRef(false);
  wasOpened.current ||= props.isOpen;
  return <Suspense fallback={null}>{wasOpened.current && <LazyAskWhy {...props} />}</Suspense>;
}
