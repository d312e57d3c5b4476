// Contract of an account's own relays and of the warm-up plans of its sending domains.
import { z } from 'zod';
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
  MAX_CONNECTIONS,
  MAX_DAY,
  MAX_DOMAIN_LIMITS,
  MAX_HOST,
  MAX_PRIORITY,
  MAX_RATE,
  RELAY_HEALTHS,
  RELAY_KINDS,
  MAX_RELAY_TITLE,
  MAX_SECRET,
  TLS_MODES,
  TRIAL_CODES,
  WARM_UP_FIRST,
  MAX_WARM_UP,
  MAX_WEIGHT,
} from './relay-limits.ts';

const integer = (min: number, max: number) => z.number().int().min(min).max(max);
const limit = (max: number) => integer(1, max).nullable();

export const DomainLimit = z.strictObject({
  domain: line(MAX_HOST, 1).describe(
    'Domain of recipients; a domain of a large mailbox provider applies to all of its domains',
  ),
  per_minute: integer(1, MAX_RATE),
});

const Settings = {
  title: line(MAX_RELAY_TITLE, 1),
  kind: z.enum(RELAY_KINDS),
  host: line(MAX_HOST, 1).describe('For SES: email.<region>.amazonaws.com'),
  port: integer(1, 65_535),
  tls: z
    .enum(TLS_MODES)
    .describe(
      'implicit: TLS from the first byte; required: STARTTLS or no delivery; opportunistic: STARTTLS where offered; none: loopback hosts only',
    ),
  username: line(MAX_SECRET).describe(
    'Empty for no authentication. For SES: the access key ID, printable ASCII without blanks',
  ),
  connections: integer(1, MAX_CONNECTIONS).describe(
    'Maximum concurrent connections per sender process',
  ),
  messages_per_connection: integer(0, MAX_RATE).describe('0 means no limit'),
  chunking: z
    .boolean()
    .describe('Whether CHUNKING (BDAT, RFC 3030) is used if the relay offers it'),
  per_second: limit(MAX_RATE).describe('Limit over all sender processes; null means no limit'),
  per_minute: limit(MAX_RATE).describe('Applied as an even rate; null means no limit'),
  per_hour: limit(MAX_DAY).describe('Limit in any period of one hour; null means no limit'),
  per_day: limit(MAX_DAY).describe('Limit in any period of 24 hours; null means no limit'),
  domain_limits: z.array(DomainLimit).max(MAX_DOMAIN_LIMITS),
  priority: integer(1, MAX_PRIORITY).describe('The lowest number is used first'),
  weight: integer(1, MAX_WEIGHT).describe('Share of the emails among relays of the same priority'),
  enabled: z
    .boolean()
    .describe('Once a relay is enabled, all email of the account is sent through its own relays'),
};

const Password = z
  .string()
  .max(MAX_SECRET)
  .describe(
    'The password, which is never returned. Empty for none; in an update, an empty value keeps the stored password.',
  );

export const RelayView = z.object({
  ...Settings,
  domain_limits: z.array(z.object({ domain: z.string(), per_minute: z.number() })),
  id: Id,
  has_password: z.boolean(),
  health: z.object({
    state: z.enum(RELAY_HEALTHS),
    since: Instant.nullable().describe('When this state was entered'),
    at: Instant.nullable().describe('When the last status was reported'),
    code: z.string().nullable(),
    reply: z.string().nullable(),
  }),
  created: Instant,
  modified: Instant,
});
export type RelayView = z.infer<typeof RelayView>;

export const Quota = z.object({
  unit: z.enum(['hour', 'day']),
  used: z.number().describe('Messages sent in this period, over all processes'),
  most: z.number(),
  more_at: Instant.nullable().describe(
    'Set while the limit is used up, except for the reserve for transactional email: when sending continues',
  ),
});
export type Quota = z.infer<typeof Quota>;

export const ListedRelay = RelayView.extend({ quotas: z.array(Quota) });
export type ListedRelay = z.infer<typeof ListedRelay>;

export const Line = z.object({
  who: z
    .enum(['us', 'relay', 'note'])
    .describe('note: an event of neither side, such as a timeout'),
  text: z.string(),
});

export const SmtpConversation = z.object({
  accepted: z.boolean(),
  code: z.enum(TRIAL_CODES).describe('Result code of the test'),
  lines: z.array(Line),
});
export type SmtpConversation = z.infer<typeof SmtpConversation>;

export const WarmUp = z.object({
  domain: z.string(),
  state: z
    .enum(['none', 'suggested', 'running', 'ended'])
    .describe('suggested: the domain is new and no warm-up of it was ever started'),
  day: z.number().describe('Day of the warm-up; days without sending do not count'),
  days: z.number().describe('Total number of days'),
  cap: z.number().nullable().describe('Maximum number of emails today'),
  used: z.number().describe('Emails sent today'),
  next_day_at: Instant.nullable().describe('Earliest start of the next day'),
  caps: z.array(z.number()).describe('Maximum number of emails of each day'),
  sent: z
    .array(z.number().nullable())
    .describe('Emails sent on each day so far, today last; null where unknown'),
});
export type WarmUp = z.infer<typeof WarmUp>;

const SenderAddress = z.email().max(320);

/** Relay settings that can be tested before they are saved. */
export const TypedRelay = z.strictObject({
  from: SenderAddress,
  known: idOf('relay')
    .optional()
    .describe(
      'Relay whose stored password is used if none is given; host and port must be unchanged',
    ),
  title: Settings.title,
  kind: Settings.kind,
  host: Settings.host,
  port: Settings.port,
  tls: Settings.tls,
  username: Settings.username,
  password: z.string().max(MAX_SECRET),
  chunking: Settings.chunking,
});
export type TypedRelay = z.infer<typeof TypedRelay>;

const params = z.object({ id: idOf('relay') });
const RelayResponse = dataResponse(RelayView);
const refusals = { relay_private: 422, relay_unknown_host: 422 };

export const calls = defineCalls({
  listRelays: {
    method: 'GET',
    path: '/client-api/api/relays',
    caller: 'account',
    summary: 'List relays of the account',
    description: 'Returns the relays in order of use.',
    response: dataResponse(z.array(ListedRelay)),
  },
  createRelay: {
    method: 'POST',
    path: '/client-api/api/relays',
    caller: 'account',
    requiredRight: 'settings',
    audit: ['title', 'kind', 'host', 'port', 'tls'],
    summary: 'Add a relay',
    description:
      'Once a relay is enabled, all email of the account is sent through its own relays.',
    body: z.strictObject({ ...Settings, password: Password }),
    response: RelayResponse,
    errors: { ...refusals, too_many_relays: 422 },
    transaction: 'own',
  },
  readRelay: {
    method: 'GET',
    path: '/client-api/api/relays/{id}',
    caller: 'account',
    summary: 'Get a relay',
    params,
    response: RelayResponse,
  },
  updateRelay: {
    method: 'PATCH',
    path: '/client-api/api/relays/{id}',
    caller: 'account',
    requiredRight: 'settings',
    audit: ['title', 'kind', 'host', 'port', 'tls'],
    summary: 'Update a relay',
    description:
      'Without a password, the stored password remains. A change of host or port requires it again.',
    params,
    body: z.strictObject({ ...Settings, password: Password }).partial(),
    response: RelayResponse,
    errors: refusals,
    transaction: 'own',
  },
  removeRelay: {
    method: 'DELETE',
    path: '/client-api/api/relays/{id}',
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Remove a relay',
    params,
    response: SuccessResponse,
  },
  testRelay: {
    method: 'POST',
    path: '/client-api/api/relays/{id}/test',
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Send a test email through a relay',
    description: 'Returns the SMTP conversation without secrets.',
    params,
    body: z.strictObject({ from: SenderAddress }),
    response: dataResponse(SmtpConversation),
    transaction: 'own',
  },
  tryTypedRelay: {
    method: 'POST',
    path: '/client-api/api/relays/test',
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Test relay settings without saving them',
    description:
      'Sends a test email to the user and returns the SMTP conversation; nothing is stored.',
    body: TypedRelay,
    response: dataResponse(SmtpConversation),
    errors: { relay_private: 422, relay_unknown_host: 422 },
    transaction: 'own',
  },
  listWarmUps: {
    method: 'GET',
    path: '/client-api/api/warm_ups',
    caller: 'account',
    summary: 'Get warm-up progress of sending domains',
    response: dataResponse(z.array(WarmUp)),
  },
  startWarmUp: {
    method: 'POST',
    path: '/client-api/api/warm_ups',
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Start the warm-up of a domain',
    description: 'A running warm-up restarts from its first day.',
    body: z.strictObject({
      domain: line(MAX_HOST, 1),
      target: integer(WARM_UP_FIRST, MAX_WARM_UP).describe('Target number of emails per day'),
    }),
    response: dataResponse(WarmUp),
  },
  endWarmUp: {
    method: 'POST',
    path: '/client-api/api/warm_ups/end',
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Stop the warm-up of a domain',
    description: 'Messages held back by the warm-up are sent immediately.',
    body: z.strictObject({ domain: line(MAX_HOST, 1) }),
    response: dataResponse(WarmUp),
  },
});
