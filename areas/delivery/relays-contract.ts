// An account's own relays, and plans that warm its sending domains up.
import { z } from 'zod';
import { Done, dataAnswer, defineCalls, Id, Instant, idOf, line } from '#platform/contract.ts';
import {
  CONNECTIONS_MOST,
  DAY_MOST,
  DOMAIN_LIMITS_MOST,
  HOST_MOST,
  PRIORITY_MOST,
  RATE_MOST,
  RELAY_HEALTHS,
  RELAY_KINDS,
  RELAY_TITLE_MOST,
  SECRET_MOST,
  TLS_MODES,
  TRIAL_CODES,
  WARM_UP_FIRST,
  WARM_UP_MOST,
  WEIGHT_MOST,
} from './relay-limits.ts';

const whole = (least: number, most: number) => z.number().int().min(least).max(most);
const limit = (most: number) => whole(1, most).nullable();

export const DomainLimit = z.strictObject({
  domain: line(HOST_MOST, 1).describe(
    'Of recipients; one of a large mailbox provider stands for all of its domains',
  ),
  per_minute: whole(1, RATE_MOST),
});

const Settings = {
  title: line(RELAY_TITLE_MOST, 1),
  kind: z.enum(RELAY_KINDS),
  host: line(HOST_MOST, 1).describe('Of SES: email.<region>.amazonaws.com'),
  port: whole(1, 65_535),
  tls: z
    .enum(TLS_MODES)
    .describe(
      'implicit: from the first byte; required: STARTTLS or nothing; opportunistic: where offered; none: this machine only',
    ),
  username: line(SECRET_MOST).describe(
    'Empty: no sign-in. Of SES: the access key’s id, printable ASCII without blanks',
  ),
  connections: whole(1, CONNECTIONS_MOST).describe('At once, at most, for each sender process'),
  messages_per_connection: whole(0, RATE_MOST).describe('0: no limit'),
  chunking: z.boolean().describe('Whether CHUNKING (BDAT) may be used where it is offered'),
  per_second: limit(RATE_MOST).describe('Over all sender processes; null: no limit'),
  per_minute: limit(RATE_MOST).describe('Kept as an even pace; null: no limit'),
  per_hour: limit(DAY_MOST).describe('In any hour; null: no limit'),
  per_day: limit(DAY_MOST).describe('In any 24 hours; null: no limit'),
  domain_limits: z.array(DomainLimit).max(DOMAIN_LIMITS_MOST),
  priority: whole(1, PRIORITY_MOST).describe('The lowest number is used first'),
  weight: whole(1, WEIGHT_MOST).describe('Its share of the mails among those of its priority'),
  enabled: z
    .boolean()
    .describe('With one or more on, all mails of the account leave through its own relays'),
};

const Password = z
  .string()
  .max(SECRET_MOST)
  .describe('Never given out again. Empty: none, or on a change: as it was');

export const Relay = z.object({
  ...Settings,
  domain_limits: z.array(z.object({ domain: z.string(), per_minute: z.number() })),
  id: Id,
  has_password: z.boolean(),
  health: z.object({
    state: z.enum(RELAY_HEALTHS),
    since: Instant.nullable().describe('When it came to this state'),
    at: Instant.nullable().describe('When it was last heard of'),
    code: z.string().nullable(),
    reply: z.string().nullable(),
  }),
  created: Instant,
  modified: Instant,
});
export type Relay = z.infer<typeof Relay>;

export const Quota = z.object({
  unit: z.enum(['hour', 'day']),
  used: z.number().describe('What left within it, over all processes'),
  most: z.number(),
  more_at: Instant.nullable().describe(
    'Where it is used up, but for what is kept for mails that somebody waits for: from then on more may leave',
  ),
});
export type Quota = z.infer<typeof Quota>;

export const ListedRelay = Relay.extend({ quotas: z.array(Quota) });
export type ListedRelay = z.infer<typeof ListedRelay>;

export const Line = z.object({
  who: z.enum(['us', 'relay', 'note']).describe('note: of neither, as that nobody answered'),
  text: z.string(),
});

export const Conversation = z.object({
  accepted: z.boolean(),
  code: z.enum(TRIAL_CODES).describe('What it means, as a word of the product'),
  lines: z.array(Line),
});
export type Conversation = z.infer<typeof Conversation>;

export const WarmUp = z.object({
  domain: z.string(),
  state: z
    .enum(['none', 'suggested', 'running', 'ended'])
    .describe('suggested: the domain is new, and nothing was decided yet'),
  day: z.number().describe('Days on which nothing leaves do not count'),
  days: z.number().describe('How many there are in all'),
  cap: z.number().nullable().describe('The most of today'),
  used: z.number().describe('Of it'),
  next_day_at: Instant.nullable().describe('When the next day may begin'),
  caps: z.array(z.number()).describe('The most of each day'),
  sent: z
    .array(z.number().nullable())
    .describe('What left on each day so far, today last; null where it was not kept'),
});
export type WarmUp = z.infer<typeof WarmUp>;

const From = z.email().max(320);

/** What can be tried of a relay's settings before they are saved. */
export const TypedRelay = z.strictObject({
  from: From,
  known: idOf('relay')
    .optional()
    .describe('Whose password is taken where none is given; host and port must still be its'),
  title: Settings.title,
  kind: Settings.kind,
  host: Settings.host,
  port: Settings.port,
  tls: Settings.tls,
  username: Settings.username,
  password: z.string().max(SECRET_MOST),
  chunking: Settings.chunking,
});
export type TypedRelay = z.infer<typeof TypedRelay>;

const params = z.object({ id: idOf('relay') });
const one = dataAnswer(Relay);
const refusals = { relay_private: 422, relay_unknown_host: 422, too_many_relays: 422 };

export const calls = defineCalls({
  listRelays: {
    method: 'GET',
    path: '/client-api/api/relays',
    who: 'account',
    summary: 'The account’s own relays, in the order in which they are used',
    answer: dataAnswer(z.array(ListedRelay)),
  },
  createRelay: {
    method: 'POST',
    path: '/client-api/api/relays',
    who: 'account',
    summary: 'Adds a relay; once one is on, all mails of the account leave through its own',
    body: z.strictObject({ ...Settings, password: Password }),
    answer: one,
    errors: refusals,
    transaction: 'own',
  },
  readRelay: {
    method: 'GET',
    path: '/client-api/api/relays/{id}',
    who: 'account',
    summary: 'One relay',
    params,
    answer: one,
  },
  updateRelay: {
    method: 'PATCH',
    path: '/client-api/api/relays/{id}',
    who: 'account',
    summary: 'Changes a relay; without a password the one that is known stays',
    params,
    body: z.strictObject({ ...Settings, password: Password }).partial(),
    answer: one,
    errors: refusals,
    transaction: 'own',
  },
  removeRelay: {
    method: 'DELETE',
    path: '/client-api/api/relays/{id}',
    who: 'account',
    summary: 'Removes a relay',
    params,
    answer: Done,
  },
  testRelay: {
    method: 'POST',
    path: '/client-api/api/relays/{id}/test',
    who: 'account',
    summary:
      'Sends a mail to the user through it and tells the whole conversation, without secrets',
    params,
    body: z.strictObject({ from: From }),
    answer: dataAnswer(Conversation),
    transaction: 'own',
  },
  tryTypedRelay: {
    method: 'POST',
    path: '/client-api/api/relays/test',
    who: 'account',
    summary:
      'Tries settings that are not saved: sends a mail to the user and tells the conversation; nothing is kept',
    body: TypedRelay,
    answer: dataAnswer(Conversation),
    errors: { relay_private: 422, relay_unknown_host: 422 },
    transaction: 'own',
  },
  listWarmUps: {
    method: 'GET',
    path: '/client-api/api/warm_ups',
    who: 'account',
    summary: 'How the account’s sending domains are being warmed up',
    answer: dataAnswer(z.array(WarmUp)),
  },
  startWarmUp: {
    method: 'POST',
    path: '/client-api/api/warm_ups',
    who: 'account',
    summary: 'Starts a domain’s warm-up (anew)',
    body: z.strictObject({
      domain: line(HOST_MOST, 1),
      target: whole(WARM_UP_FIRST, WARM_UP_MOST).describe('What it shall send a day in the end'),
    }),
    answer: dataAnswer(WarmUp),
  },
  endWarmUp: {
    method: 'POST',
    path: '/client-api/api/warm_ups/end',
    who: 'account',
    summary: 'Ends a domain’s warm-up: what waits for it leaves at once',
    body: z.strictObject({ domain: line(HOST_MOST, 1) }),
    answer: dataAnswer(WarmUp),
  },
});
