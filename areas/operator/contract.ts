// Calls of the operator's page: the state of the installation, its accounts, and the SMS senders
// that wait for approval. Only users in OPERATOR_EMAILS may make them.
import { z } from 'zod';
import {
  SuccessResponse,
  dataResponse,
  defineCalls,
  Id,
  Instant,
  idOf,
  line,
  listResponse,
  listQuery,
} from '#platform/contract.ts';
import { PHONE_KINDS } from '../sms/shared.ts';
import { MAX_JOB_NAME, MAX_REASON, PROBLEMS } from './shared.ts';

const Process = z.object({
  id: z.string(),
  role: z.string(),
  host: z.string(),
  version: z.string(),
  started: Instant,
  seen: Instant,
  /** Whether the process sent a heartbeat within the last 30 seconds. */
  is_alive: z.boolean(),
  memory_megabytes: z.number(),
  /** Milliseconds: the longest event loop pause in the last minute; null if not measured. */
  longest_pause: z.number().nullable(),
});

const Relay = z.object({
  name: z.string(),
  is: z.enum(['ready', 'waiting', 'refused']),
  /** The relay's reply, if it waits or refuses. */
  reply: z.string(),
  /** Since the senders started. */
  accepted: z.number(),
  refused: z.number(),
});

export const InstallationHealth = z.object({
  /** Problems that need the operator, most urgent first. */
  troubles: z.array(
    z.object({
      code: z.enum(PROBLEMS),
      severity: z.enum(['error', 'warning']),
      values: z.record(z.string(), z.union([z.string(), z.number()])),
    }),
  ),
  processes: z.array(Process),
  queue: z.array(
    z.object({
      job: z.string(),
      due: z.number(),
      running: z.number(),
      later: z.number(),
      given_up: z.number(),
    }),
  ),
  /** Time since which the oldest due job waits. */
  oldest_job: Instant.nullable(),
  /** Campaigns, workflow steps and SMS being sent, of all accounts. */
  open_messages: z.number(),
  /**
   * Emails per minute currently accepted by relays, of all senders; null before the first report.
   */
  sending_rate: z.number().nullable(),
  relays: z.array(Relay),
  /** Disks of the processes' machines, one for each machine; sizes in bytes. */
  disks: z.array(z.object({ host: z.string(), free: z.number(), total: z.number() })),
  database: z.object({ version: z.string(), bytes: z.number(), connections: z.number() }),
  /** For a cluster: host and port of nodes that do not answer. */
  nodes_away: z.array(z.string()),
  /** Errors of the last hour, newest first. */
  errors: z.array(
    z.object({
      role: z.string(),
      message: z.string(),
      text: z.string(),
      count: z.number(),
      at: Instant,
    }),
  ),
  version: z.string(),
  node: z.string(),
});
export type InstallationHealth = z.infer<typeof InstallationHealth>;
export type Problem = InstallationHealth['troubles'][number];

export const OperatorAccount = z.object({
  id: Id,
  title: z.string(),
  email: z.string().nullable(),
  plan: z.string().nullable(),
  plan_state: z.enum(['active', 'past_due', 'ended']).nullable(),
  size: z.number().nullable(),
  valid_to: Instant.nullable(),
  subscribers: z.number(),
  /** Emails sent in the last 30 days. */
  emails: z.number(),
  created: Instant,
  suspended: Instant.nullable(),
  suspended_reason: z.string().nullable(),
});
export type OperatorAccount = z.infer<typeof OperatorAccount>;

export const Payment = z.object({
  id: Id,
  kind: z.enum(['plan', 'sms_credit']),
  plan: z.string().nullable(),
  /** Minor units. */
  total: z.number(),
  currency: z.enum(['usd', 'eur']),
  state: z.enum(['paid', 'refunded']),
  paid: Instant.nullable(),
});
export type Payment = z.infer<typeof Payment>;

export const WaitingSender = z.object({
  id: Id,
  kind: z.enum(PHONE_KINDS),
  value: z.string(),
  use_case: z.string(),
  account: z.object({ id: Id, title: z.string() }),
  /** Whether another account has registered the same number. */
  is_shared: z.boolean(),
  created: Instant,
});
export type WaitingSender = z.infer<typeof WaitingSender>;

const BASE = '/client-api/api/operator';
const params = z.object({ id: idOf('account') });
const OPERATORS = {
  caller: 'account',
  requiredRight: 'none',
  isPersonal: true,
  isOperatorCall: true,
} as const;
/**
 * The action is recorded in the operator's account after the commit, because that account's node
 * may be down.
 */
const WRITES = { ...OPERATORS, transaction: 'own' } as const;

export const calls = defineCalls({
  readHealth: {
    method: 'GET',
    path: `${BASE}/health`,
    ...OPERATORS,
    summary: 'Get the status of the installation',
    description: 'Returns roles, queues, relays, disk space, errors and versions.',
    response: dataResponse(InstallationHealth),
    errors: { not_found: 404 },
    transaction: 'own',
  },
  retryJobs: {
    method: 'POST',
    path: `${BASE}/jobs/retry`,
    ...WRITES,
    summary: 'Retry abandoned jobs of one kind',
    description: 'The jobs are due immediately and have all their attempts again.',
    body: z.strictObject({ job: line(MAX_JOB_NAME, 1) }),
    response: dataResponse(z.object({ count: z.number() })),
    errors: { not_found: 404 },
  },
  listAccounts: {
    method: 'GET',
    path: `${BASE}/accounts`,
    ...OPERATORS,
    summary: 'List all accounts with plan and usage',
    query: listQuery({
      sorts: ['created', 'title', 'subscribers'],
      order: 'created',
      max: 100,
    }),
    response: listResponse(OperatorAccount),
    errors: { not_found: 404 },
  },
  readAccount: {
    method: 'GET',
    path: `${BASE}/accounts/{id}`,
    ...OPERATORS,
    summary: 'Get an account with its payments',
    params,
    response: dataResponse(OperatorAccount.extend({ payments: z.array(Payment) })),
    errors: { not_found: 404 },
  },
  suspendAccount: {
    method: 'POST',
    path: `${BASE}/accounts/{id}/suspend`,
    ...WRITES,
    summary: 'Stop sending for an account',
    description:
      'Suspends all campaigns and workflows of the account, and refuses its purchases. Transactional emails are still sent.',
    params,
    body: z.strictObject({ reason: line(MAX_REASON, 1) }),
    response: SuccessResponse,
    errors: { not_found: 404, own_account: 409 },
  },
  restoreAccount: {
    method: 'POST',
    path: `${BASE}/accounts/{id}/restore`,
    ...WRITES,
    summary: 'Resume sending for an account',
    params,
    response: SuccessResponse,
    errors: { not_found: 404 },
  },
  listSenders: {
    method: 'GET',
    path: `${BASE}/senders`,
    ...OPERATORS,
    summary: 'List SMS senders that wait for approval',
    response: dataResponse(z.array(WaitingSender)),
    errors: { not_found: 404 },
  },
  assignSender: {
    method: 'POST',
    path: `${BASE}/accounts/{id}/senders/{phone}/assign`,
    ...WRITES,
    summary: 'Approve an SMS sender of an account',
    params: z.object({ id: idOf('account'), phone: idOf('phone') }),
    response: SuccessResponse,
    errors: { not_found: 404, sender_taken: 409 },
  },
  refuseSender: {
    method: 'POST',
    path: `${BASE}/accounts/{id}/senders/{phone}/decline`,
    ...WRITES,
    summary: 'Decline an SMS sender of an account',
    params: z.object({ id: idOf('account'), phone: idOf('phone') }),
    response: SuccessResponse,
    errors: { not_found: 404 },
  },
  refundPayment: {
    method: 'POST',
    path: `${BASE}/accounts/{id}/payments/{payment}/refund`,
    ...WRITES,
    summary: 'Refund a payment',
    description: 'Issues a credit note and ends what the payment bought.',
    params: z.object({ id: idOf('account'), payment: idOf('order') }),
    response: SuccessResponse,
    errors: { not_found: 404, order_closed: 409 },
  },
});
