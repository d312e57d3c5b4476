// Sends uncaught errors to a service with Sentry's protocol. The module is loaded only if a service
// is configured and the user consented. Reports contain no personal data: see
// platform/error-report.ts.
import { serializeErrorReport, parseDsn } from '#platform/error-report.ts';
import { onUncaught } from './global-errors.tsx';

/** The maximum number of errors that a page reports; it reports each error once. */
const MAX_REPORTS = 20;

export function startErrorReporting(address: string): void {
  const dsn = parseDsn(address);
  if (!dsn) return;
  const reportedKeys = new Set<string>();
  onUncaught((error) => {
    const key = error instanceof Error ? (error.stack ?? error.message) : String(error);
    if (reportedKeys.has(key) || reportedKeys.size >= MAX_REPORTS) return;
    reportedKeys.add(key);
    const operation = placeOf(location.pathname);
    const context = {
      error,
      operation,
      side: 'browser' as const,
      release: import.meta.env.RELEASE,
    };
    // Plain text with the key in the URL needs no preflight, so a closing page can still send it.
    const query = new URLSearchParams({ sentry_version: '7', sentry_key: dsn.publicKey });
    void fetch(`${dsn.endpoint}?${query}`, {
      method: 'POST',
      body: serializeErrorReport(context, new Date(), crypto.randomUUID()),
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      keepalive: true,
    }).catch(() => undefined);
  });
}

/** Returns the screen's path without IDs: `/campaigns/:id/edit`. */
function placeOf(path: string): string {
  return path.replace(/\/(?=[^/]*[\dA-Z])[^/]+/g, '/:id');
}
