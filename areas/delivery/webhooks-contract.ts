// Where the account's own relays tell what became of mails: the webhook address of each provider, and
// the key that it signs with.
import { z } from 'zod';
import { dataAnswer, defineCalls, Instant } from '#platform/contract.ts';
import { HOOK_PROVIDERS, SIGNING_KEY_MOST } from './webhooks-limits.ts';

export const Webhook = z.object({
  provider: z.enum(HOOK_PROVIDERS),
  url: z
    .string()
    .describe('To enter at the provider. Whoever has it may tell of this account’s mails'),
  key: z
    .enum(['required', 'optional', 'offered'])
    .describe('required: nothing is believed without it; offered: the provider names it by itself'),
  has_key: z.boolean(),
  shown_key: z.string().nullable().describe('Only of keys that are no secret: a topic'),
  last_event: Instant.nullable().describe('When the provider last told of a mail'),
});
export type Webhook = z.infer<typeof Webhook>;

const params = z.object({ provider: z.enum(HOOK_PROVIDERS) });

export const webhookCalls = defineCalls({
  listWebhooks: {
    method: 'GET',
    path: '/client-api/api/relays/webhooks',
    who: 'account',
    summary: 'Webhook addresses for the providers that mails leave through',
    answer: dataAnswer(z.array(Webhook)),
  },
  setWebhookKey: {
    method: 'PUT',
    path: '/client-api/api/relays/webhooks/{provider}',
    who: 'account',
    summary: 'Sets the key that a provider signs its webhooks with; null takes it away',
    params,
    body: z.strictObject({
      signing_key: z.string().trim().min(1).max(SIGNING_KEY_MOST).nullable(),
    }),
    answer: dataAnswer(Webhook),
  },
  renewWebhook: {
    method: 'POST',
    path: '/client-api/api/relays/webhooks/{provider}/renew',
    who: 'account',
    summary: 'Gives a provider a new webhook address; the old one is dead at once',
    params,
    answer: dataAnswer(Webhook),
  },
});
