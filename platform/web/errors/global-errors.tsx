// Uncaught errors: a notice is shown for eight seconds. Errors of ResizeObserver are ignored, and
// nothing is shown offline.
import { ApiError } from '../api-error.ts';
import { isModuleFailure, moduleFailed } from './new-version.tsx';
import { durations, failure } from './notices.tsx';
import { text } from '../texts/texts.ts';

type UncaughtListener = (error: unknown) => void;
const listeners = new Set<UncaughtListener>();

/** Calls the listener for uncaught errors, in addition to the notice. */
export function onUncaught(listener: UncaughtListener): void {
  listeners.add(listener);
}

export function watchErrors(): void {
  window.addEventListener('error', (event) => {
    if (isNoise(event.message)) {
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    report(event.error ?? event.message);
  });
  window.addEventListener('unhandledrejection', (event) => report(event.reason));
  // Vite fires this before the import itself fails: code or styles of a screen no longer exist.
  window.addEventListener('vite:preloadError', () => moduleFailed());
}

export function isNoise(message: string): boolean {
  return message.includes('ResizeObserver loop');
}

function report(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error ?? '');
  if (isNoise(message)) return;
  if (isModuleFailure(error)) return moduleFailed();
  // Calls show their own failures.
  if (error instanceof ApiError || (error instanceof DOMException && error.name === 'AbortError')) {
    return;
  }
  for (const listener of listeners) listener(error);
  failure(
    <>
      {message && <div>{message}</div>}
      <div>{text('platform:errors.tryAgainLater')}</div>
      <div>{text('platform:errors.contactSupport')}</div>
    </>,
    {
      title: text('platform:errors.title'),
      duration: durations.uncaught,
      id: `uncaught:${message}`,
    },
  );
}
