// An account's own relays, and plans that warm its sending domains up.
import { z } from 'zod';
import { dataAnswer, defineCalls, Done, Id, idOf, Instant, line } from '#platform/contract.ts';
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
  domain: line(HOST_MOST, 1),
  per_minute: whole(1, RATE_MOST),
});

const Settings = {
  title: line(RELAY_TITLE_MOST, 1),
  kind: z.enum(RELAY_KINDS),
  /** Of SES: `email.<region>.amazonaws.com`. */
  host: line(HOST_MOST, 1),
  port: whole(1, 65_535),
  tls: z.enum(TLS_MODES),
  /** Of SES: the access key's id, printable ASCII without blanks. */
  username: line(SECRET_MOST),
  connections: whole(1, CONNECTIONS_MOST),
  /** 0: no limit. */
  messages_per_connection: whole(0, RATE_MOST),
  /** Whether CHUNKING may be used where it is offered. */
  chunking: z.boolean(),
  per_second: limit(RATE_MOST),
  per_minute: limit(RATE_MOST),
  per_hour: limit(DAY_MOST),
  per_day: limit(DAY_MOST),
  domain_limits: z.array(DomainLimit).max(DOMAIN_LIMITS_MOST),
  /** The lowest number is used first. */
  priority: whole(1, PRIORITY_MOST),
  weight: whole(1, WEIGHT_MOST),
  enabled: z.boolean(),
};

/** Never given out again. Empty: none, or on a change: as it was. */
const Password = z.string().max(SECRET_MOST);

export const Relay = z.object({
  ...Settings,
  domain_limits: z.array(z.object({ domain: z.string(), per_minute: z.number() })),
  id: Id,
  has_password: z.boolean(),
  health: z.object({
    state: z.enum(RELAY_HEALTHS),
    since: Instant.nullable(),
    at: Instant.nullable(),
    code: z.string().nullable(),
    reply: z.string().nullable(),
  }),
  created: Instant,
  modified: Instant,
});
export type Relay = z.infer<typeof Relay>;

export const Quota = z.object({
  unit: z.enum(['hour', 'day']),
  /** What left within it, over all processes. */
  used: z.number(),
  most: z.number(),
  /** Used up: from then on more may leave. */
  more_at: Instant.nullable(),
});
export type Quota = z.infer<typeof Quota>;

export const ListedRelay = Relay.extend({ quotas: z.array(Quota) });
export type ListedRelay = z.infer<typeof ListedRelay>;

export const Line = z.object({
  who: z.enum(['us', 'relay', 'note']),
  text: z.string(),
});

export const Conversation = z.object({
  accepted: z.boolean(),
  /** Of the product: what it means. */
  code: z.enum(TRIAL_CODES),
  lines: z.array(Line),
});
export type Conversation = z.infer<typeof Conversation>;

export const WarmUp = z.object({
  domain: z.string(),
  /** Suggested: the domain is new, and nothing was decided yet. */
  state: z.enum(['none', 'suggested', 'running', 'ended']),
  day: z.number(),
  days: z.number(),
  cap: z.number().nullable(),
  used: z.number(),
  /** When the next day may begin. */
  next_day_at: Instant.nullable(),
  /** The most of each day. */
  caps: z.array(z.number()),
  /** What left on each day so far, today last; null where it was not kept. */
  sent: z.array(z.number().nullable()),
});
export type WarmUp = z.infer<typeof WarmUp>;

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
    body: z.strictObject({ from: z.email().max(320) }),
    answer: dataAnswer(Conversation),
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
      /** What it shall send a day in the end. */
      target: whole(WARM_UP_FIRST, WARM_UP_MOST),
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
