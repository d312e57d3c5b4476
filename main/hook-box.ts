// The built-in webhook receiver for trials; never in production.
import { hasValidSignature } from '#areas/webhooks/server/index.ts';
import type { Config } from '#platform/server/config.ts';
import { hookBoxRoutes } from '#providers/hook-box/index.ts';

export function hookBoxPlugins({ isProduction }: Config) {
  if (isProduction) return [];
  return [hookBoxRoutes((app, headers, body) => hasValidSignature(app.db, headers, body))];
}
