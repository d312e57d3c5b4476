// Contract of an account's own SMS providers.
import { z } from 'zod';
import { MAX_CONNECTIONS, MAX_PRIORITY, MAX_WEIGHT } from '#areas/delivery/relay-limits.ts';
import {
  SuccessResponse,
  dataResponse,
  defineCalls,
  Id,
  Instant,
  idOf,
  line,
} from '#platform/contract.ts';
import {
  ALPHABETS,
  MAX_NUMBER_LIMITS,
  MAX_PARTS,
  PROVIDER_HEALTHS,
  MAX_PROVIDER_HOST,
  PROVIDER_KINDS,
  MAX_PROVIDER_SECRET,
  MAX_PROVIDER_TITLE,
} from './providers-limits.ts';

const integer = (min: number, max: number) => z.number().int().min(min).max(max);
const limit = integer(1, MAX_PARTS).nullable();

const NumberLimit = z.strictObject({
  number: line(64, 1).describe('Sender number (+15125550177) or name'),
  per_minute: integer(1, MAX_PARTS).describe('SMS parts'),
});

const Settings = {
  title: line(MAX_PROVIDER_TITLE, 1),
  host: line(MAX_PROVIDER_HOST).describe(
    'Sinch: host of the region. Infobip: your base address. SMPP: host of the message center. Otherwise empty',
  ),
  port: integer(1, 65_535).nullable().describe('SMPP only; null means the default port'),
  tls: z.boolean().describe('SMPP only: whether the connection uses TLS'),
  username: line(MAX_PROVIDER_SECRET).describe('Account name or ID at the provider'),
  profile: line(200).describe('Telnyx: messaging profile. SMPP: system type'),
  alphabet: z.enum(ALPHABETS).describe('SMPP only: default alphabet of 7-bit messages'),
  connections: integer(1, MAX_CONNECTIONS).describe(
    'Maximum concurrent requests (SMPP: window size) per sender process',
  ),
  per_second: limit.describe('Limit in SMS parts over all sender processes; null means no limit'),
  per_minute: limit.describe('Limit per minute, applied as an even rate; null means no limit'),
  per_hour: limit.describe('Limit in any period of one hour; null means no limit'),
  per_day: limit.describe('Limit in any period of 24 hours; null means no limit'),
  number_limits: z.array(NumberLimit).max(MAX_NUMBER_LIMITS).describe('Every number at most once'),
  priority: integer(1, MAX_PRIORITY).describe('The lowest number is used first'),
  weight: integer(1, MAX_WEIGHT).describe(
    'Share of the messages among providers of the same priority',
  ),
  enabled: z
    .boolean()
    .describe(
      'As soon as one provider is on, all SMS of the account leave through its own providers',
    ),
};

const Secrets = {
  secret: z
    .string()
    .max(MAX_PROVIDER_SECRET)
    .describe(
      'A key, token or password, which is never returned. In an update, an empty value keeps the stored one.',
    ),
  hook_key: z
    .string()
    .max(MAX_PROVIDER_SECRET)
    .describe(
      'Signing secret of the provider’s webhooks, if it is not `secret`. In an update, an empty value keeps the stored one.',
    ),
};

const providerKind = z.enum(PROVIDER_KINDS);

export const SmsProvider = z.object({
  ...Settings,
  kind: providerKind,
  id: Id,
  has_hook_key: z.boolean(),
  inbound_url: z
    .string()
    .nullable()
    .describe('Webhook address for incoming messages; null if the provider needs none'),
  health: z.object({
    state: z.enum(PROVIDER_HEALTHS),
    since: Instant.nullable().describe('When this state was entered'),
    at: Instant.nullable().describe('When the last status was reported'),
    code: z.string().nullable(),
    reply: z.string().nullable(),
  }),
  created: Instant,
  modified: Instant,
});
export type SmsProvider = z.infer<typeof SmsProvider>;

const params = z.object({ id: idOf('text_provider') });
const response = dataResponse(SmsProvider);
const refusals = { text_provider_private: 422, text_provider_unknown_host: 422 };
const BASE = '/client-api/api/sms/providers';

export const providerCalls = defineCalls({
  listTextProviders: {
    method: 'GET',
    path: BASE,
    caller: 'account',
    summary: 'List SMS providers of the account',
    description: 'Returns the providers in order of use.',
    response: dataResponse(z.array(SmsProvider)),
  },
  createTextProvider: {
    method: 'POST',
    path: BASE,
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Add an SMS provider',
    description:
      'As soon as one provider is on, all SMS of the account leave through its own providers.',
    body: z.strictObject({ ...Settings, kind: providerKind, ...Secrets }),
    response,
    errors: { ...refusals, too_many_text_providers: 422 },
    transaction: 'own',
  },
  readTextProvider: {
    method: 'GET',
    path: `${BASE}/{id}`,
    caller: 'account',
    summary: 'Get an SMS provider',
    params,
    response,
  },
  updateTextProvider: {
    method: 'PATCH',
    path: `${BASE}/{id}`,
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Update an SMS provider',
    description:
      'Without a secret, the stored secret remains. Changing host or port or turning TLS off requires it again.',
    params,
    body: z.strictObject({ ...Settings, ...Secrets }).partial(),
    response,
    errors: refusals,
    transaction: 'own',
  },
  removeTextProvider: {
    method: 'DELETE',
    path: `${BASE}/{id}`,
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Remove an SMS provider',
    params,
    response: SuccessResponse,
  },
  testTextProvider: {
    method: 'POST',
    path: `${BASE}/{id}/test`,
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Send a test SMS through a provider',
    description: "Returns the provider's response.",
    params,
    body: z.strictObject({ from: idOf('phone'), to: line(64, 1) }),
    response: dataResponse(z.object({ accepted: z.boolean(), reply: z.string() })),
    errors: { phone_not_active: 409 },
    transaction: 'own',
  },
});
