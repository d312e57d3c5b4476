// Calls our plug-in in a WordPress store, authenticated with the account's API token.
import type { CallPlugin } from '#areas/stores/server/index.ts';
import { requestShop, type ShopOptions } from '../shop-http.ts';

const PATH = '/wp-json/sender-automated-emails/v2/webhook_handler';

export function wordpressPlugin(options: ShopOptions = {}): CallPlugin {
  return async ({ domain, token, topic }, signal) => {
    const address = `${options.isLocal ? 'http' : 'https'}://${domain}${PATH}`;
    const headers = { 'sender-api-key': token, 'content-type': 'application/json' };
    const body = JSON.stringify({ topic });
    await requestShop(address, { method: 'POST', headers, body }, options, signal);
  };
}
