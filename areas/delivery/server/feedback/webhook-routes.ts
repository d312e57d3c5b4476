// Routes for the addresses and keys of an account's webhooks at email providers.
import { type Route, createRoutes } from '#platform/server/http/serve.ts';
import { webhookCalls } from '../../provider-hooks-contract.ts';
import { type Hooks, listWebhooks, renewWebhook, setWebhookKey } from './webhooks.ts';

export function webhookRoutes(hooks: Hooks): Route[] {
  return createRoutes('feedback', webhookCalls, {
    listWebhooks: ({ tx, caller }) => listWebhooks(tx, caller.accountId, hooks),
    setWebhookKey: ({ tx, caller, params, body }) =>
      setWebhookKey(tx, caller.accountId, params.provider, body.signing_key, hooks),
    renewWebhook: ({ tx, caller, params }) =>
      renewWebhook(tx, caller.accountId, params.provider, hooks),
  });
}
