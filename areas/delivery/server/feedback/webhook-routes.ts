// Routes of webhooks of providers.
import { type Route, serve } from '#platform/server/http/serve.ts';
import { webhookCalls } from '../../provider-hooks-contract.ts';
import { type Hooks, listWebhooks, renewWebhook, setWebhookKey } from './webhooks.ts';

export function webhookRoutes(hooks: Hooks): Route[] {
  return serve('feedback', webhookCalls, {
    listWebhooks: async ({ tx, who }) => ({ data: await listWebhooks(tx, who.accountId, hooks) }),
    setWebhookKey: async ({ tx, who, params, body }) => ({
      data: await setWebhookKey(tx, who.accountId, params.provider, body.signing_key, hooks),
    }),
    renewWebhook: async ({ tx, who, params }) => ({
      data: await renewWebhook(tx, who.accountId, params.provider, hooks),
    }),
  });
}
