// Sends errors that nothing caught to a service of Sentry's protocol; loaded only where one is
// configured and agreed to. Nothing personal: see platform/error-report.ts.
import { envelopeOf, parseDsn } from '#platform/error-report.ts';
import { onUncaught } from './global-errors.tsx';

/** One page tells each error once, and no more than this. */
const MOST = 20;

export function startErrorReporting(address: string): void {
  const dsn = parseDsn(address);
  if (!dsn) return;
  const told = new Set<string>();
  onUncaught((error) => {
    const kind = error instanceof Error ? (error.stack ?? error.message) : String(error);
    if (told.has(kind) || told.size >= MOST) return;
    told.add(kind);
    const doing = placeOf(location.pathname);
    const facts = { error, doing, side: 'browser' as const, release: import.meta.env.RELEASE };
    // As plain text with the key in the address: no preflight, so a page on its way out can still send.
    const query = new URLSearchParams({ sentry_version: '7', sentry_key: dsn.publicKey });
    void fetch(`${dsn.endpoint}?${query}`, {
      method: 'POST',
      body: envelopeOf(facts, new Date(), crypto.randomUUID()),
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      keepalive: true,
    }).catch(() => undefined);
  });
}

/** The screen without what it is about: `/campaigns/:id/edit`. */
function placeOf(path: string): string {
  return path.replace(/\/(?=[^/]*[\dA-Z])[^/]+/g, '/:id');
}
