// Errors that nothing else caught: a snackbar for eight seconds (section 8). Those of
// ResizeObserver are no errors, and offline nothing is shown.
import { ApiError } from './api-error.ts';
import { isModuleFailure, moduleFailed } from './new-version.tsx';
import { durations, failure } from './notices.tsx';
import { text } from './texts.ts';

type UncaughtListener = (error: unknown) => void;
const listeners = new Set<UncaughtListener>();

/** Hears of errors that nothing caught, besides the person. */
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
  // Vite says this before the import itself fails: styles and code of a screen that is gone.
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
