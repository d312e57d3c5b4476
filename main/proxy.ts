// Warns at startup when an https installation does not declare its reverse proxy.
import type { Config } from '#platform/server/config.ts';
import { log } from '#platform/server/log.ts';

/** The server itself does not terminate TLS, so an https PUBLIC_URL implies a proxy in front. */
export function warnIfProxyIsUnset({ publicUrl, trustProxy }: Config): void {
  if (!publicUrl.startsWith('https:') || trustProxy !== undefined) return;
  log.warn(
    'All visitors share one rate limit: PUBLIC_URL is https, so a proxy terminates TLS, but TRUST_PROXY is not set. Set TRUST_PROXY=1 for one proxy that sends X-Forwarded-For and X-Forwarded-Proto, or TRUST_PROXY=none if it sends neither',
  );
}
