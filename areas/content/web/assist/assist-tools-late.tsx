// Buttons for suggestions, loaded and shown only for accounts with a model.
import { Suspense } from 'react';
import { useIsAssisted } from '#areas/models/web/index.ts';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { LIBRARY_IMAGE } from '../../shared.ts';
import type { AltAssistProps } from './alt-assist.tsx';
import type { AssistToolsProps } from './assist-tools.tsx';
import type { HtmlAssistProps } from './html-assist.tsx';
import type { PlainAssistProps } from './plain-assist.tsx';

const LateTools = lazyWithRetry(() => import('./assist-tools.tsx'));
const LatePlain = lazyWithRetry(() => import('./plain-assist.tsx'));
const LateHtml = lazyWithRetry(() => import('./html-assist.tsx'));
const LateAlt = lazyWithRetry(() => import('./alt-assist.tsx'));

/** Suggestions for a block, or for the whole email. */
export function AssistTools(props: AssistToolsProps) {
  if (!useIsAssisted()) return null;
  return (
    <Suspense fallback={null}>
      <LateTools {...props} />
    </Suspense>
  );
}

/** Suggestions for a plain text email. */
export function PlainAssist(props: PlainAssistProps) {
  if (!useIsAssisted()) return null;
  return (
    <Suspense fallback={null}>
      <LatePlain {...props} />
    </Suspense>
  );
}

/** Suggests a translation of a custom HTML email. */
export function HtmlAssist(props: HtmlAssistProps) {
  if (!useIsAssisted()) return null;
  return (
    <Suspense fallback={null}>
      <LateHtml {...props} />
    </Suspense>
  );
}

/** Suggests the alternative text of an image in the library. */
export function AltAssist(props: AltAssistProps) {
  const isAssisted = useIsAssisted();
  if (!isAssisted || !LIBRARY_IMAGE.test(props.image.src)) return null;
  return (
    <Suspense fallback={null}>
      <LateAlt {...props} />
    </Suspense>
  );
}
