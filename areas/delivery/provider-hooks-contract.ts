// Calls for the webhooks to which email providers send events: their addresses and signing keys.
import { z } from 'zod';
import { dataResponse, defineCalls, Instant } from '#platform/contract.ts';
import { HOOK_PROVIDERS, MAX_SIGNING_KEY } from './webhooks-limits.ts';

export const ProviderWebhook = z.object({
  provider: z.enum(HOOK_PROVIDERS),
  url: z
    .string()
    .describe(
      'The address to enter at the provider. It is a secret, because its holder can report events of this account.',
    ),
  key: z
    .enum(['required', 'optional', 'offered'])
    .describe(
      'required: without a key, events are rejected; optional: a key is checked if it is set; offered: no key has to be entered, because the provider sends it when it asks for confirmation',
    ),
  has_key: z.boolean(),
  shown_key: z
    .string()
    .nullable()
    .describe('Only for keys that are not secret, such as a topic ARN'),
  last_event: Instant.nullable().describe('When the provider last reported an event'),
});
export type ProviderWebhook = z.infer<typeof ProviderWebhook>;

const params = z.object({ provider: z.enum(HOOK_PROVIDERS) });

export const webhookCalls = defineCalls({
  listWebhooks: {
    method: 'GET',
    path: '/client-api/api/relays/webhooks',
    caller: 'account',
    requiredRight: 'settings',
    summary: 'List provider webhook addresses',
    description: 'Returns one address for each supported email provider.',
    response: dataResponse(z.array(ProviderWebhook)),
  },
  setWebhookKey: {
    method: 'PUT',
    path: '/client-api/api/relays/webhooks/{provider}',
    caller: 'account',
    requiredRight: 'settings',
    summary: "Set a provider's webhook signing key",
    description: 'The value null removes the key.',
    params,
    body: z.strictObject({
      signing_key: z.string().trim().min(1).max(MAX_SIGNING_KEY).nullable(),
    }),
    response: dataResponse(ProviderWebhook),
  },
  renewWebhook: {
    method: 'POST',
    path: '/client-api/api/relays/webhooks/{provider}/renew',
    caller: 'account',
    requiredRight: 'settings',
    summary: "Rotate a provider's webhook address",
    description: 'The previous address stops working immediately.',
    params,
    response: dataResponse(ProviderWebhook),
  },
});
