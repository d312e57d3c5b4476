// Approvals: callers without a right request an action, and users with the right decide.
import { z } from 'zod';
import { WrittenIn } from '#areas/segments/contract.ts';
import { dataResponse, defineCalls, Id, idOf, Instant, text } from '#platform/contract.ts';
import { APPROVAL_KINDS, APPROVAL_STATES, MAX_NOTE_LENGTH, OUTLINE_PARTS } from './shared.ts';

const ApprovalUser = z.object({
  id: Id,
  name: z.string().nullable(),
  email: z.string().nullable(),
});

export const Approval = z.object({
  id: Id,
  kind: z.enum(APPROVAL_KINDS),
  state: z.enum(APPROVAL_STATES),
  subject: z.object({
    id: Id,
    title: z.string(),
    /** Screen of the object. */
    path: z.string(),
  }),
  /** Wall time of the schedule; null means as soon as the request is approved. */
  scheduled: z.string().nullable(),
  asked_at: Instant,
  asked_by: ApprovalUser.describe('The user who requested the approval, or whose token did'),
  /** Name of the program that created the request. */
  program: z.string().nullable(),
  note: z.string(),
  expires_at: Instant,
  decided_at: Instant.nullable(),
  decided_by: ApprovalUser.nullable(),
  reason: z.string(),
  /** Number of recipients when it was requested; null if it is unknown until the start. */
  recipients: z.number().nullable(),
  can_decide: z.boolean().describe('Whether the caller may approve or decline it'),
  can_withdraw: z.boolean(),
});
export type Approval = z.infer<typeof Approval>;

export const DiffLine = z.object({
  change: z.enum(['same', 'added', 'removed']),
  part: z.enum(OUTLINE_PARTS),
  text: z.string(),
});
export type DiffLine = z.infer<typeof DiffLine>;

/**
 * A request with the object to decide about: its current state while the request is open, otherwise
 * its state at the time of the request.
 */
export const ApprovalDetail = Approval.extend({
  audience: z
    .object({
      count: z.number(),
      total: z.number(),
      excluded: z.array(z.object({ reason: z.string(), count: z.number() })),
    })
    .nullable(),
  /** In millionths of the currency. */
  cost: z.object({ micros: z.number(), currency: z.string() }).nullable(),
  findings: z.array(z.looseObject({ code: z.string(), severity: z.string() })),
  /**
   * Hosts of links and images; `is_new` if neither the last approved request for the object nor the
   * last sent or active version contains the host.
   */
  hosts: z.array(z.object({ host: z.string(), is_new: z.boolean() })),
  /** URLs of the previews of the object's emails. */
  previews: z.array(z.object({ title: z.string(), path: z.string() })),
  /** Some of the affected subscribers, for callers with the right to see subscribers. */
  people: z.array(z.object({ id: Id, title: z.string() })),
  compared_with: z
    .enum(['request', 'sent', 'active'])
    .nullable()
    .describe(
      'What `diff` compares the object with: the previous request, the last sent campaign, or the active version',
    ),
  diff: z.array(DiffLine),
  /** Maximum number of recipients that an approval covers; null means any number. */
  ceiling: z.number().nullable(),
});
export type ApprovalDetail = z.infer<typeof ApprovalDetail>;

const ApprovedRequest = Approval.extend({
  found_in: z
    .array(WrittenIn)
    .optional()
    .describe(
      'For an erasure: content and settings in which the address occurs. They are not changed.',
    ),
});
export type ApprovedRequest = z.infer<typeof ApprovedRequest>;

const Settings = z.object({
  needs_four_eyes: z
    .boolean()
    .describe('Whether users are forbidden to decide their own requests and those of their tokens'),
});
const BASE = '/client-api/api/approvals';
const params = z.object({ id: idOf('approval') });
const decidedAnswer = dataResponse(Approval);
const errors = { approval_decided: 409, approval_outdated: 409, approval_expired: 409 };
const decision = { ...errors, approval_own: 403 };

export const calls = defineCalls({
  listApprovals: {
    method: 'GET',
    path: BASE,
    caller: 'account',
    summary: 'List requests for approval',
    description: 'Returns the newest first. To continue the list, pass `next` as `before`.',
    query: z.strictObject({
      state: z.enum(APPROVAL_STATES).optional(),
      subject: z
        .string()
        .regex(/^[a-zA-Z0-9]{1,60}$/)
        .optional()
        .describe('ID of the object'),
      before: z
        .string()
        .regex(/^\d{1,15}$/)
        .optional(),
      limit: z.coerce.number().int().min(1).max(100).default(25),
    }),
    response: z.object({
      data: z.array(Approval),
      next: z.string().nullable(),
    }),
  },
  countApprovals: {
    method: 'GET',
    path: `${BASE}/count`,
    caller: 'account',
    summary: 'Count open requests for approval',
    description: 'Counts the requests that the caller may decide.',
    response: dataResponse(z.object({ count: z.number() })),
  },
  readApprovalSettings: {
    method: 'GET',
    path: `${BASE}/settings`,
    caller: 'account',
    summary: 'Get the approval settings',
    response: dataResponse(Settings),
  },
  saveApprovalSettings: {
    method: 'PUT',
    path: `${BASE}/settings`,
    caller: 'account',
    requiredRight: 'admin',
    isPersonal: true,
    audit: ['needs_four_eyes'],
    summary: 'Set the settings of approvals',
    body: z.strictObject(Settings.shape),
    response: dataResponse(Settings),
  },
  readApproval: {
    method: 'GET',
    path: `${BASE}/{id}`,
    caller: 'account',
    summary: 'Get a request for approval',
    description:
      'While the request is open, each call counts the recipients and checks the content again.',
    params,
    response: dataResponse(ApprovalDetail),
    slots: 'count',
  },
  approve: {
    method: 'POST',
    path: `${BASE}/{id}/approve`,
    caller: 'account',
    requiredRight: 'read',
    isPersonal: true,
    audit: ['reason'],
    summary: 'Approve a request and make its call',
    description:
      'Requires the right that the requested call needs. The requested call is made in the name of the deciding user and with the requested content. The number of recipients may have grown by a tenth, or by 50 if that is more. If it has grown further, this endpoint returns `approval_grown` with the current number as `recipients`, and the request stays open. To approve that number, pass it as `recipients`.',
    params,
    body: z.strictObject({
      reason: text(MAX_NOTE_LENGTH).default(''),
      recipients: z
        .number()
        .int()
        .nonnegative()
        .optional()
        .describe(
          'The number of recipients that the user has seen; by default, the number at the time of the request.',
        ),
    }),
    response: dataResponse(ApprovedRequest),
    errors: { ...decision, approval_grown: 409, approval_impossible: 422 },
  },
  decline: {
    method: 'POST',
    path: `${BASE}/{id}/decline`,
    caller: 'account',
    requiredRight: 'read',
    isPersonal: true,
    audit: ['reason'],
    summary: 'Decline a request for approval',
    params,
    body: z.strictObject({ reason: text(MAX_NOTE_LENGTH).default('') }),
    response: decidedAnswer,
    errors: decision,
  },
  withdraw: {
    method: 'POST',
    path: `${BASE}/{id}/withdraw`,
    caller: 'account',
    requiredRight: 'drafts',
    summary: 'Withdraw a request for approval',
    description: 'The requester and users who may decide the request can withdraw it.',
    params,
    body: z.strictObject({}),
    response: decidedAnswer,
    errors,
  },
});
