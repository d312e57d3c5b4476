// Calls a store's plugin, so that the plugin sends all data again when a user requests a sync, and
// stops when a user disconnects the store. A call contains the token with which the plugin
// registered the store, and goes only to this store.
import { z } from 'zod';
import type { Tx } from '#platform/server/database/database.ts';
import { addJob, defineJob } from '#platform/server/jobs/jobs.ts';
import { log } from '#platform/server/log.ts';
import type { StoreRow } from './connections.sql.ts';
import { unsealSecret } from './keys.ts';

type PluginTopic = 'import-shop-data' | 'delete-store';

export type CallPlugin = (
  call: { domain: string; token: string; topic: PluginTopic },
  signal: AbortSignal,
) => Promise<void>;

const CALL_TIMEOUT_MS = 30_000;
/** Types reported by the plugins for WordPress and WooCommerce. */
const CALLABLE_TYPES: readonly string[] = ['wordpress', 'woocommerce'];

let callPlugin: CallPlugin | undefined;

export function configurePluginCalls(call: CallPlugin | undefined): void {
  callPlugin = call;
}

/** Returns whether the store's plugin accepts calls. */
export function hasCallablePlugin({
  type,
  plugin_token,
}: Pick<StoreRow, 'type' | 'plugin_token'>): boolean {
  return plugin_token !== null && CALLABLE_TYPES.includes(type);
}

export async function notifyPlugin(
  tx: Tx,
  { domain, plugin_token }: Pick<StoreRow, 'domain' | 'plugin_token'>,
  topic: PluginTopic,
): Promise<void> {
  const token = plugin_token?.toString('base64');
  if (token) await addJob(tx, pluginJob, { domain, token, topic });
}

/** Calls the plugin once: a failure is only logged because a removed plugin does not respond. */
export const pluginJob = defineJob({
  name: 'stores.ask-plugin',
  payload: z.object({
    domain: z.string(),
    token: z.string(),
    topic: z.enum(['import-shop-data', 'delete-store']),
  }),
  async run({ domain, token, topic }, { signal }) {
    const timeout = AbortSignal.any([signal, AbortSignal.timeout(CALL_TIMEOUT_MS)]);
    try {
      await callPlugin?.(
        { domain, token: unsealSecret(Buffer.from(token, 'base64')), topic },
        timeout,
      );
    } catch (error) {
      const reason = (error as Error).message;
      log.warn("Could not call a store's plugin", { domain, topic, reason });
    }
  },
});
