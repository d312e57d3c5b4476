// Routes of webhooks of providers.
import { type Route, serve } from '#platform/server/http/serve.ts';
import { webhookCalls } from '../../provider-hooks-contract.ts';
import { type Hooks, listWebhooks, renewWebhook, setWebhookKey } from './webhooks.ts';

export function webhookRoutes(hooks: Hooks): Route[] {
  return serve('feedback', webhookCalls, {
    listWebhooks: ({ tx, who }) => listWebhooks(tx, who.accountId, hooks),
    setWebhookKey: ({ tx, who, params, body }) =>
      setWebhookKey(tx, who.accountId, params.provider, body.signing_key, hooks),
    renewWebhook: ({ tx, who, params }) => renewWebhook(tx, who.accountId, params.provider, hooks),
  });
}
