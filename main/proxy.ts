// Whether it was said that a proxy stands in front.
import type { Config } from '#platform/server/config.ts';
import { log } from '#platform/server/log.ts';

/** Said once at the start: this server speaks no https itself, so something that does must be before it. */
export function warnIfProxyIsUntold({ publicUrl, trustProxy }: Config): void {
  if (!publicUrl.startsWith('https:') || trustProxy !== undefined) return;
  log.warn(
    'All visitors will be taken for one, and limited together: PUBLIC_URL is https, which a proxy in front must speak, and TRUST_PROXY does not say which one to believe. Set TRUST_PROXY=1 for one proxy that sets X-Forwarded-For and X-Forwarded-Proto, or TRUST_PROXY=none where none does',
  );
}
