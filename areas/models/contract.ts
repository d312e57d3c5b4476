// Assistance by a language model that the account chooses: its settings, and suggestions for text.
import { z } from 'zod';
import { dataResponse, defineCalls, SuccessResponse, line, text } from '#platform/contract.ts';
import { LANGUAGES } from '#platform/languages.ts';
import { MAX_TEXT_LENGTH, MAX_TEXTS, MAX_INSTRUCTION, PROTOCOLS, TEXT_TASKS } from './shared.ts';

const Protocol = z.enum(PROTOCOLS);
/**
 * Refuses addresses with credentials, a query or a fragment: a key belongs in its own field, which
 * is stored sealed.
 */
const ModelAddress = z
  .url({ protocol: /^https?$/ })
  .max(500)
  .refine((address) => {
    if (!URL.canParse(address)) return false;
    const { username, password, search, hash } = new URL(address);
    return username + password + search + hash === '';
  });
const Tokens = z.number().int().min(1000).max(1_000_000_000_000).nullable();
const Currency = z.string().regex(/^[A-Z]{3}$/);
const Price = z.number().min(0).max(1_000_000).describe('Per million tokens');

export const ModelPrices = z.strictObject({ input: Price, output: Price, currency: Currency });
export type ModelPrices = z.infer<typeof ModelPrices>;

export const ModelCost = z.object({ amount: z.number(), currency: Currency });
export type ModelCost = z.infer<typeof ModelCost>;

export const ModelSettings = z.object({
  is_on: z.boolean(),
  protocol: Protocol.nullable(),
  address: z.string().nullable(),
  model: z.string().nullable(),
  has_key: z.boolean(),
  monthly_tokens: Tokens.describe('Maximum tokens per month (UTC); null: unlimited'),
  used_tokens: z.number().describe('Of this month'),
  prices: ModelPrices.nullable().describe('Null: costs are not shown'),
  cost: ModelCost.nullable().describe('Of this month, by the prices of each request'),
});
export type ModelSettings = z.infer<typeof ModelSettings>;

/** The request to the model, shown before it is sent. */
export const ModelRequest = z.object({
  host: z.string().describe('Host that receives it'),
  body: z.string().describe('The exact JSON of the request'),
  personal: z
    .array(z.string())
    .describe('Email addresses and phone numbers in it, written by the author'),
  image: z
    .string()
    .nullable()
    .describe('The image in it as a data URL, which `body` leaves out; null without one'),
  cost: ModelCost.nullable().describe(
    'Estimated maximum by the prices of the model; the actual cost once the model has answered. Null without prices',
  ),
});
export type ModelRequest = z.infer<typeof ModelRequest>;

/** Errors of all calls that use the model. */
export const modelErrors = {
  model_off: 409,
  model_unreachable: 502,
  model_refused: 502,
  model_answer: 502,
  model_limit: 429,
} as const;

/**
 * Confirms a model call. If unset, nothing is sent, and the response contains the request that
 * would be sent.
 */
export const isConfirmed = z
  .boolean()
  .default(false)
  .describe('If true, sends the request. Otherwise, the request is only returned.');

export const calls = defineCalls({
  readModel: {
    method: 'GET',
    path: '/client-api/api/assistance',
    caller: 'account',
    summary: 'Get the settings of assistance',
    response: dataResponse(ModelSettings),
  },
  saveModel: {
    method: 'PUT',
    path: '/client-api/api/assistance',
    caller: 'account',
    requiredRight: 'admin',
    isPersonal: true,
    audit: ['protocol', 'address', 'model', 'monthly_tokens', 'prices'],
    summary: 'Set the model of assistance',
    description:
      'The key is stored encrypted and never returned. Without `key`, the stored key remains, but a change of protocol or address deletes it. Private hosts must be listed in MODEL_HOSTS.',
    body: z.strictObject({
      protocol: Protocol,
      address: ModelAddress,
      model: line(200, 1),
      key: line(500).nullable().optional(),
      monthly_tokens: Tokens,
      prices: ModelPrices.nullable().default(null),
    }),
    response: dataResponse(ModelSettings),
    errors: { host_private: 422 },
  },
  removeModel: {
    method: 'DELETE',
    path: '/client-api/api/assistance',
    caller: 'account',
    requiredRight: 'admin',
    isPersonal: true,
    summary: 'Remove the model of assistance',
    response: SuccessResponse,
  },
  testModel: {
    method: 'POST',
    path: '/client-api/api/assistance/test',
    caller: 'account',
    requiredRight: 'admin',
    isPersonal: true,
    audit: 'none',
    acceptsIdempotencyKey: false,
    transaction: 'own',
    slots: 'preview',
    summary: 'Test the model of assistance',
    description: 'Sends the model a request for one word.',
    body: z.strictObject({}),
    response: dataResponse(z.object({ answer: z.string(), milliseconds: z.number() })),
    errors: modelErrors,
  },
  suggestTexts: {
    method: 'POST',
    path: '/client-api/api/assistance/texts',
    caller: 'account',
    audit: 'none',
    acceptsIdempotencyKey: false,
    transaction: 'own',
    slots: 'preview',
    summary: 'Get suggestions for texts',
    description:
      'Texts contain merge tags as written, never the values of a subscriber. Rewriting and translating keep merge tags, links, and markers such as [[1]] and [[/1]] around a part. If the response of the model changes any of these, the model is queried once more; a second such response is refused.',
    body: z.strictObject({
      task: z.enum(TEXT_TASKS),
      texts: z.array(text(MAX_TEXT_LENGTH, 1)).min(1).max(MAX_TEXTS),
      language: z.enum(LANGUAGES),
      instruction: text(MAX_INSTRUCTION).default(''),
      is_confirmed: isConfirmed,
    }),
    response: dataResponse(
      z.object({ request: ModelRequest, texts: z.array(z.string()).nullable() }),
    ),
    errors: { ...modelErrors, model_changed_tags: 422 },
  },
});
