// An account's own providers of texts.
import { z } from 'zod';
import { CONNECTIONS_MOST, PRIORITY_MOST, WEIGHT_MOST } from '#areas/delivery/relay-limits.ts';
import { Done, dataAnswer, defineCalls, Id, Instant, idOf, line } from '#platform/contract.ts';
import {
  ALPHABETS,
  NUMBER_LIMITS_MOST,
  PARTS_MOST,
  PROVIDER_HEALTHS,
  PROVIDER_HOST_MOST,
  PROVIDER_KINDS,
  PROVIDER_SECRET_MOST,
  PROVIDER_TITLE_MOST,
} from './providers-limits.ts';

const whole = (least: number, most: number) => z.number().int().min(least).max(most);
const limit = whole(1, PARTS_MOST).nullable();

const NumberLimit = z.strictObject({
  number: line(64, 1).describe('A number (+15125550177) or name that texts come from'),
  per_minute: whole(1, PARTS_MOST).describe('Parts'),
});

const Settings = {
  title: line(PROVIDER_TITLE_MOST, 1),
  host: line(PROVIDER_HOST_MOST).describe(
    'Of Sinch: its region’s; of Infobip: your own base address; of SMPP: the centre’s; else empty',
  ),
  port: whole(1, 65_535).nullable().describe('Of SMPP; null: the usual one'),
  tls: z.boolean().describe('Of SMPP: whether the connection is encrypted'),
  username: line(PROVIDER_SECRET_MOST).describe('As the provider names the account'),
  profile: line(200).describe('Telnyx’s messaging profile; SMPP’s system type'),
  alphabet: z.enum(ALPHABETS).describe('Of SMPP: what texts of 7 bits are written in'),
  connections: whole(1, CONNECTIONS_MOST).describe(
    'Calls at once (SMPP: the window), for each sender process',
  ),
  per_second: limit.describe('Parts, over all sender processes; null: no limit'),
  per_minute: limit.describe('Kept as an even pace; null: no limit'),
  per_hour: limit.describe('In any hour; null: no limit'),
  per_day: limit.describe('In any 24 hours; null: no limit'),
  number_limits: z.array(NumberLimit).max(NUMBER_LIMITS_MOST).describe('Each number once'),
  priority: whole(1, PRIORITY_MOST).describe('The lowest number is used first'),
  weight: whole(1, WEIGHT_MOST).describe('Its share of the texts among those of its priority'),
  enabled: z
    .boolean()
    .describe('With one or more on, all texts of the account leave by its own providers'),
};

const Secrets = {
  secret: z
    .string()
    .max(PROVIDER_SECRET_MOST)
    .describe('Key, token or password; never given out again. Empty on a change: as it was'),
  hook_key: z
    .string()
    .max(PROVIDER_SECRET_MOST)
    .describe('What its calls to us are signed with, where that is another; empty as above'),
};

const kind = z.enum(PROVIDER_KINDS);

export const TextProvider = z.object({
  ...Settings,
  kind,
  id: Id,
  has_hook_key: z.boolean(),
  inbound_url: z
    .string()
    .nullable()
    .describe('What the provider is to call with incoming messages; null: it needs none'),
  health: z.object({
    state: z.enum(PROVIDER_HEALTHS),
    since: Instant.nullable().describe('When it came to this state'),
    at: Instant.nullable().describe('When it was last heard of'),
    code: z.string().nullable(),
    reply: z.string().nullable(),
  }),
  created: Instant,
  modified: Instant,
});
export type TextProvider = z.infer<typeof TextProvider>;

const params = z.object({ id: idOf('text_provider') });
const one = dataAnswer(TextProvider);
const refusals = {
  ...{ text_provider_private: 422, text_provider_unknown_host: 422 },
  too_many_text_providers: 422,
};
const BASE = '/client-api/api/sms/providers';

export const providerCalls = defineCalls({
  listTextProviders: {
    method: 'GET',
    path: BASE,
    who: 'account',
    summary: 'The account’s own providers of texts, in the order in which they are used',
    answer: dataAnswer(z.array(TextProvider)),
  },
  createTextProvider: {
    method: 'POST',
    path: BASE,
    who: 'account',
    summary: 'Adds a provider; once one is on, all texts of the account leave by its own',
    body: z.strictObject({ ...Settings, kind, ...Secrets }),
    answer: one,
    errors: refusals,
    transaction: 'own',
  },
  readTextProvider: {
    method: 'GET',
    path: `${BASE}/{id}`,
    who: 'account',
    summary: 'One provider',
    params,
    answer: one,
  },
  updateTextProvider: {
    method: 'PATCH',
    path: `${BASE}/{id}`,
    who: 'account',
    summary: 'Changes a provider; without a secret the one that is known stays',
    params,
    body: z.strictObject({ ...Settings, ...Secrets }).partial(),
    answer: one,
    errors: refusals,
    transaction: 'own',
  },
  removeTextProvider: {
    method: 'DELETE',
    path: `${BASE}/{id}`,
    who: 'account',
    summary: 'Removes a provider',
    params,
    answer: Done,
  },
  testTextProvider: {
    method: 'POST',
    path: `${BASE}/{id}/test`,
    who: 'account',
    summary: 'Sends one text by it, at once, and tells what it answered',
    params,
    body: z.strictObject({ from: idOf('phone'), to: line(64, 1) }),
    answer: dataAnswer(z.object({ accepted: z.boolean(), reply: z.string() })),
    errors: { phone_not_active: 409 },
    transaction: 'own',
  },
});
