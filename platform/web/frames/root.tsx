// Wraps every page: progress while another screen loads, titles, focus and announcements on
// navigation.
import { Outlet, useMatches, useRouter, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { onNotFound } from '../api/queries.ts';
import { lazyModuleWithRetry } from '../shell/lazy-with-retry.ts';
import { useTexts } from '../texts/texts.ts';
import classes from './frames.module.css';
import { SkipLink } from './skip-link.tsx';

export const PRODUCT_NAME = 'Sendloom';

const useLateProgress = lazyModuleWithRetry(() => import('./progress.tsx'));

export function Root() {
  const [progress] = useLateProgress();
  useNotFoundRedirect();
  const title = useTitle();
  return (
    <>
      {progress && <progress.default />}
      <SkipLink />
      <Outlet />
      <Announcer title={title} />
    </>
  );
}

function useNotFoundRedirect(): void {
  const router = useRouter();
  useEffect(() => onNotFound(() => void router.navigate({ to: '/404', replace: true })), [router]);
}

/** Returns the deepest screen's title, followed by the product's name. */
function useTitle(): string {
  const t = useTexts('platform');
  const matches = useMatches();
  const key = matches.findLast((match) => match.staticData.title)?.staticData.title;
  const isUnknown = matches.some(
    (match) => match.status === 'notFound' || match._notFound === true,
  );
  const title = isUnknown ? t('notFound.title') : key ? t(key) : '';
  useEffect(() => {
    document.title = title ? `${title} · ${PRODUCT_NAME}` : PRODUCT_NAME;
  }, [title]);
  return title;
}

/** Announces a new screen to screen readers and moves the focus to its top. */
function Announcer({ title }: { title: string }) {
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
  const [announced, setAnnounced] = useState('');
  const before = useRef<string>(undefined);
  useEffect(() => {
    if (path === undefined || path === before.current) return;
    const isFirst = before.current === undefined;
    before.current = path;
    if (isFirst) return;
    setAnnounced(title);
    const main = document.getElementById('main');
    // A field that the screen has focused keeps the focus; moving the focus away would show its
    // errors.
    const focusedElement = document.activeElement;
    if (focusedElement?.matches('input, textarea, select') && main?.contains(focusedElement))
      return;
    main?.focus({ preventScroll: true });
  }, [path, title]);
  return (
    <div className={classes.announcer} role="status" aria-live="polite">
      {announced}
    </div>
  );
}
