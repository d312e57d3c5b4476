// The tree of a workflow: its steps, their data, and the calls that list, add, move, copy, remove
// and update them.
import { z } from 'zod';
import type { AnyConditionType, Operator } from '#areas/segments/shared.ts';
import { dataResponse, defineCalls, Id, idOf, line, InputInstant } from '#platform/contract.ts';
import {
  ACTIONS,
  ACTIVITIES,
  MAX_AMOUNT,
  CONDITION_KINDS,
  DELAYS,
  MAX_NOTE_LENGTH,
  SPLIT_METRICS,
  SPLIT_PATHS,
  STEP_TYPES,
  MAX_TITLE_LENGTH,
  MAX_UTM,
  TRIGGERS,
  UNITS,
} from './shared.ts';

const Path = z
  .string()
  .regex(/^[A-Z]{1,10}$/)
  .default('TRUE')
  .describe('TRUE or FALSE below a condition, A to E below a split, otherwise TRUE');

/** Conditions as in segments. A condition of an unknown type matches no subscriber. */
const Condition = z.strictObject({
  type: z.string().max(60) as z.ZodType<AnyConditionType, string>,
  operator: z.string().max(60) as z.ZodType<Operator, string>,
  operand: z.union([z.string().max(1000), z.number()]).default('') as z.ZodType<
    string,
    string | number | undefined
  >,
  group: z.number().int().default(1),
  outside_concat: z.enum(['and', 'or']).default('and'),
  inside_concat: z.enum(['and', 'or']).default('and'),
  key: z.string().max(60).default(''),
  more: z.array(z.string().max(1000)).max(100).default([]),
});
export const Conditions = z.array(Condition).max(50);

const title = line(MAX_TITLE_LENGTH).optional();
/** Internal note. */
const note = z.string().max(MAX_NOTE_LENGTH).optional();
const SplitShare = z.strictObject({
  path: z.enum(SPLIT_PATHS),
  share: z.number().int().min(0).max(100),
});

const Time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/);
const id = z.string().max(60).optional();
const amount = z.number().int().min(1).max(MAX_AMOUNT).optional();

/**
 * Trigger data by type. LIST_ADD, LIST_REMOVE: `listId`, a group. FIELD_UPDATE: `fields` (none:
 * any). FORM_SUBMIT: `form` (none: any). SEGMENT_ENTER: `segment`. EVENT: `event`, a custom event.
 * CART_ABANDONED, ORDER_PLACED, ORDER_FULFILLED, ORDER_REFUNDED: `store` (none: any).
 * PRODUCT_PURCHASED: `product`. PRODUCT_VIEWED: `product` (none: any). LINK_CLICK: `url`, as
 * written in emails. DATE (once) and ANNIVERSARY (each year): `field`, a datetime field
 * (ANNIVERSARY also: a birthday). Both start `offset_days` after the date in the field (negative:
 * before) at `time`, by default at the time in the field (a birthday: at midnight), in the time
 * zone of the person, otherwise of the account.
 */
export const TriggerData = z.strictObject({
  title,
  note,
  triggerType: z.enum(TRIGGERS),
  listId: id,
  fields: z.array(z.string().max(60)).max(50).optional(),
  form: id,
  segment: id,
  event: id,
  store: id,
  product: id,
  url: line(2000).optional(),
  field: id,
  offset_days: z.number().int().min(-365).max(365).optional(),
  time: Time.optional(),
});

/** `activity`: engagement with the message of a step above. `conditions`: as in segments. */
export const UntilData = z.strictObject({
  kind: z.enum(['activity', 'conditions']),
  activity: z.enum(ACTIVITIES).optional(),
  step_id: id,
  conditions: Conditions.optional(),
});
export const DelayData = z.strictObject({
  title,
  note,
  delay_type: z.enum(DELAYS),
  /** The duration. UNTIL: the time-out in `unit`; people then continue without the event. */
  amount,
  unit: z.enum(UNITS).optional(),
  /** UNTIL: the event. */
  until: UntilData.optional(),
  /** DATE: wall time of the account, `YYYY-MM-DD HH:MM:SS`. */
  date: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/)
    .refine((at) => InputInstant.safeParse(`${at.replace(' ', 'T')}Z`).success, 'errors.fields.day')
    .optional(),
  /** FIELD: a datetime field or a birthday. */
  field: id,
  /** Continues only on these days (0 is Sunday) and at this time. */
  resume_days: z.array(z.number().int().min(0).max(6)).max(7).optional(),
  resume_time: Time.optional(),
  /** Time zone of days and times; `person`: of the person where known, otherwise of the account. */
  zone: z.enum(['person', 'account']).optional(),
});
export const ConditionData = z.strictObject({
  title,
  note,
  /**
   * segment: `conditions`; saved: `segment`, evaluated with the segment's current conditions;
   * activity: engagement with the message of a step above (for a click: on `url`, or on any link if
   * empty) within `amount` of `unit` after handoff; split: a share per path, always the same path
   * for a person.
   */
  kind: z.enum(CONDITION_KINDS),
  conditions: Conditions.optional(),
  segment: id,
  activity: z.enum(ACTIVITIES).optional(),
  step_id: id,
  url: line(2000).optional(),
  amount,
  unit: z.enum(UNITS).optional(),
  shares: z.array(SplitShare).min(2).max(5).optional(),
  /**
   * split: the path that is better by this metric takes over, with a share of 100. `opened` and
   * `clicked` refer to the first message of each path; `goal` is the goal of the workflow.
   * Without `winner_by`, shares remain as they are.
   */
  winner_by: z.enum(SPLIT_METRICS).optional(),
});
export const ActionData = z.strictObject({
  title,
  note,
  action: z.enum(ACTIONS),
  /** COPY, MOVE: the group to join. REMOVE: the group to leave. */
  group: id,
  /** MOVE: the group to leave. */
  from_group: id,
  /** UNSUBSCRIBE: the channel, by default email. */
  channel: z.enum(['email', 'sms']).optional(),
  field: id,
  value: z.union([line(1000), z.number(), z.null()]).optional(),
  /** NOTIFY: text of the email to the account's owner. */
  message: line(500).optional(),
  /** WEBHOOK: URL that receives a POST per person, signed like webhooks. */
  url: line(2000).optional(),
});
/** Hold settings of a message step. */
const holdFields = {
  /** True sends even above the limit of the contact guard. */
  ignores_guard: z.boolean().optional(),
  /** Hours until a held message is skipped (`too_late`). */
  valid_hours: z.number().int().min(1).max(8760).optional(),
};
export const EmailData = z.strictObject({
  title,
  note,
  subject: line(255).optional(),
  preheader: line(255).optional(),
  from_name: line(100).optional(),
  from_email: line(255).optional(),
  reply_to: line(255).optional(),
  /** Value of utm_campaign on links, with tokens; if unset, no UTM parameter is added. */
  utm_campaign: line(MAX_UTM).optional(),
  ...holdFields,
});
export const SmsData = z.strictObject({
  title,
  note,
  /** Sender number or name. */
  phone: id,
  text: z.string().max(2000).optional(),
  add_organization_name: z.boolean().optional(),
  append_opt_out: z.boolean().optional(),
  google_analytics: z.boolean().optional(),
  ...holdFields,
});
export const DATA = {
  trigger: TriggerData,
  delay: DelayData,
  CONDITION: ConditionData,
  ACTION: ActionData,
  EMAIL: EmailData,
  SMS: SmsData,
} as const;
export type StepData = { [Type in keyof typeof DATA]: z.output<(typeof DATA)[Type]> };

export const WorkflowStep = z.object({
  id: Id,
  workflow_id: Id,
  type: z.enum(STEP_TYPES),
  /** Null for the trigger, the root. */
  parent_id: Id.nullable(),
  condition_path: z.string(),
  /**
   * Data by type: `trigger_definition` for the trigger, otherwise as in `PATCH …/data`. Empty
   * while unset.
   */
  data: z.record(z.string(), z.unknown()),
  /**
   * Names of data fields (and `content` for an email) that are missing or refer to deleted
   * resources.
   */
  missing: z.array(z.string()),
  complete: z.boolean(),
  /** Editor of the email's content; null without content. */
  editor: z.enum(['editor', 'html', 'text']).nullable(),
  /** Code of the problem that holds people here; null if there is none. */
  problem: z.string().nullable(),
  /** Warnings about the email that do not prevent sending. */
  warnings: z.array(z.enum(['coupons_short', 'link_empty'])),
  /** Revision of the email's settings and content; the content calls require it. */
  revision: z.number(),
  /** Number of people at the step now. */
  here: z.number(),
  /** Child steps. */
  children: z.array(Id),
});
export type WorkflowStep = z.infer<typeof WorkflowStep>;

const params = z.object({ id: idOf('workflow') });
const ofStep = z.object({ id: idOf('workflow'), stepId: idOf('step') });
const BASE = '/client-api/api/workflows/{id}';
const tree = dataResponse(z.array(WorkflowStep));
/**
 * `step_misplaced` if the change would not result in a tree: a step below itself, an unknown path,
 * the trigger below another step.
 */
const treeErrors = { step_misplaced: 422 };
/** `too_many_steps` above `MAX_STEPS`. */
const errors = { ...treeErrors, too_many_steps: 422 };

export const stepCalls = defineCalls({
  listSteps: {
    method: 'GET',
    path: `${BASE}/steps`,
    caller: 'account',
    summary: 'List steps of a workflow',
    description: 'Returns parents before their children.',
    params,
    response: tree,
  },
  setTrigger: {
    method: 'POST',
    path: `${BASE}/trigger`,
    caller: 'account',
    summary: 'Set the trigger of a workflow',
    params,
    body: z.strictObject({ trigger_definition: TriggerData }),
    response: tree,
    errors: { workflow_active: 409 },
  },
  addStep: {
    method: 'POST',
    path: `${BASE}/steps`,
    caller: 'account',
    summary: 'Add a step below another',
    description:
      'Steps already on `condition_path` of the parent move below the new step, on its `children_path`.',
    params,
    body: z.strictObject({
      parent_id: idOf('step'),
      type: z.enum(['EMAIL', 'SMS', 'ACTION', 'CONDITION', 'delay']),
      condition_path: Path,
      children_path: Path,
    }),
    response: dataResponse(z.object({ id: Id, steps: z.array(WorkflowStep) })),
    errors,
  },
  moveStep: {
    method: 'PATCH',
    path: `${BASE}/steps/{stepId}`,
    caller: 'account',
    summary: 'Move a step with its subtree',
    description:
      'Subscribers in the subtree move with it. The steps already there move below the subtree.',
    params: ofStep,
    body: z.strictObject({ parent_id: idOf('step'), condition_path: Path }),
    response: tree,
    errors: treeErrors,
  },
  removeStep: {
    method: 'DELETE',
    path: `${BASE}/steps/{stepId}`,
    caller: 'account',
    summary: 'Remove a step',
    description:
      'The child of the step takes its place (for a condition, the chosen branch), or the whole subtree is removed.',
    params: ofStep,
    body: z.strictObject({ delete_all_below: z.boolean().default(false), condition_path: Path }),
    response: tree,
    errors: treeErrors,
  },
  duplicateStep: {
    method: 'POST',
    path: `${BASE}/steps/{stepId}/duplicate`,
    caller: 'account',
    summary: 'Duplicate a step',
    description: 'The copy is inserted directly below the step.',
    params: ofStep,
    response: dataResponse(z.object({ id: Id, steps: z.array(WorkflowStep) })),
    errors,
  },
  copyBranch: {
    method: 'POST',
    path: `${BASE}/steps/{stepId}/copy`,
    caller: 'account',
    summary: 'Duplicate a step with its subtree',
    description:
      'The copy is inserted below another step, and the steps already there move below the copy.',
    params: ofStep,
    body: z.strictObject({ parent_id: idOf('step'), condition_path: Path }),
    response: dataResponse(z.object({ id: Id, steps: z.array(WorkflowStep) })),
    errors,
  },
  saveStepData: {
    method: 'PATCH',
    path: `${BASE}/steps/{stepId}/data`,
    caller: 'account',
    summary: "Update a step's settings",
    description:
      'Incomplete settings are allowed. In an active workflow, subscribers wait at an incomplete step. The trigger of an active workflow cannot be changed.',
    params: ofStep,
    body: z.strictObject({ data: z.record(z.string(), z.unknown()) }),
    response: tree,
    errors: { workflow_active: 409, step_misplaced: 422 },
  },
});
