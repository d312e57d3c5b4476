// Sends logged errors to a service with Sentry's protocol if SENTRY_DSN is set. A report that
// cannot be delivered is dropped, so reporting never delays other work.
import { randomUUID } from 'node:crypto';
import { serializeErrorReport, parseDsn } from '../../error-report.ts';
import { clock } from '../clock.ts';
import { onError } from '../log.ts';

export interface ErrorReporting {
  close: () => void;
}

/**
 * A broken database makes every call fail. To limit the reports, each kind of error is reported at
 * most once a minute, and at most `MAX_PER_MINUTE` kinds.
 */
const SAME_MS = 60_000;
const MAX_PER_MINUTE = 30;
const WAIT_MS = 5_000;

/** Starts error reporting. `role`: the process's role; `release`: the product's version. */
export function startErrorReporting(options: {
  dsn: string;
  release: string;
  role: string;
}): ErrorReporting {
  const dsn = parseDsn(options.dsn);
  if (!dsn) return { close: () => undefined };
  const reportCounts = new Map<string, number>();
  const stop = onError((operation, error) => {
    const now = performance.now();
    for (const [kind, at] of reportCounts) if (now - at > SAME_MS) reportCounts.delete(kind);
    const key = `${operation}|${error instanceof Error ? error.stack : String(error)}`;
    if (reportCounts.has(key) || reportCounts.size >= MAX_PER_MINUTE) return;
    reportCounts.set(key, now);
    const { release, role } = options;
    const context = { error, operation, side: 'server' as const, release, tags: { role } };
    void fetch(dsn.endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-sentry-envelope',
        'x-sentry-auth': `Sentry sentry_version=7, sentry_client=sendloom/${release}, sentry_key=${dsn.publicKey}`,
      },
      body: serializeErrorReport(context, clock.now(), randomUUID()),
      signal: AbortSignal.timeout(WAIT_MS),
    }).then(
      (response) => response.body?.cancel(),
      () => undefined,
    );
  });
  return { close: stop };
}
