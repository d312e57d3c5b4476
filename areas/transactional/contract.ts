// The web app's calls for transactional email: templates, their reports, the emails sent, and SMTP
// users.
import { z } from 'zod';
import {
  dataResponse,
  Day,
  defineCalls,
  SuccessResponse,
  Id,
  idOf,
  Instant,
  line,
  listResponse,
  listQuery,
} from '#platform/contract.ts';
import { senderAddress } from '#platform/email-address.ts';
import { CONTENT_KINDS, MAX_EMAIL } from '../content/shared.ts';
import {
  ACTIVITIES,
  MAX_NAME_LENGTH,
  MAX_PREHEADER,
  MAX_SAMPLE,
  MAX_SAMPLE_ITEMS,
  MAX_SUBJECT,
  MAX_TITLE_LENGTH,
  MAX_VARIABLES,
  PERIODS,
  VARIABLE_NAME,
} from './shared.ts';

export const TRANSACTIONAL_PATH = '/client-api/api/transactional';

const EmailFigures = z.object({
  sent: z.number(),
  delivered: z.number(),
  opens: z.number(),
  clicks: z.number(),
  bounces: z.number(),
  unsubscribes: z.number(),
  spam: z.number(),
});

export const Transactional = z.object({
  id: Id,
  title: z.string(),
  subject: z.string(),
  preheader: z.string(),
  from_name: z.string(),
  from_email: z.string(),
  reply_to: z.string(),
  last_action: z.string(),
  revision: z.number(),
  editor: z.enum(CONTENT_KINDS).nullable(),
  thumbnail_url: z.string().nullable(),
  figures: EmailFigures,
  /** Whether the email can be sent: it has a subject, a sender and content. */
  is_ready: z.boolean(),
  created: Instant,
  modified: Instant,
});
export type Transactional = z.infer<typeof Transactional>;

const Scalar = z.union([z.string().max(MAX_SAMPLE), z.number(), z.boolean()]);
/** A sample is a single value, or a list whose items are values or flat objects. */
export const VariableSample = z.union([
  Scalar,
  z.array(z.union([Scalar, z.record(z.string().max(50), Scalar)])).max(MAX_SAMPLE_ITEMS),
]);
export type VariableSample = z.infer<typeof VariableSample>;

const Variable = z.strictObject({ name: z.string().regex(VARIABLE_NAME), sample: VariableSample });
export const TemplateVariable = Variable.extend({
  /** False if the author gave a sample for it, but subject, preheader and content do not use it. */
  is_used: z.boolean(),
});
export type TemplateVariable = z.infer<typeof TemplateVariable>;

export const TemplateDetails = Transactional.extend({ variables: z.array(TemplateVariable) });
export type TemplateDetails = z.infer<typeof TemplateDetails>;

/** Kinds of events of an email, roughly in the order they happen. */
const STEPS = [
  'created',
  'accepted',
  'failed',
  'skipped',
  'unknown',
  'opened',
  'clicked',
  'returned',
  'unsubscribed',
  'complained',
] as const;

export const SentEmail = z.object({
  id: Id,
  email: z.string(),
  subscriber: Id.nullable(),
  steps: z.array(z.object({ kind: z.enum(STEPS), at: Instant, note: z.string().nullable() })),
  /** Null if the content is no longer stored. */
  content: z
    .object({
      subject: z.string(),
      from: z.string(),
      html: z.string().nullable(),
      text: z.string(),
    })
    .nullable(),
});
export type SentEmail = z.infer<typeof SentEmail>;

export const ActivityRow = z.object({
  id: Id,
  email: z.string(),
  /** The subscriber with this address at the time of sending, if there was one. */
  subscriber: Id.nullable(),
  at: Instant,
  url: z.string().nullable(),
  reason: z.string().nullable(),
  reply: z.string().nullable(),
});
export type ActivityRow = z.infer<typeof ActivityRow>;

const SmtpUserView = z.object({
  id: Id,
  title: z.string(),
  username: z.string(),
  last_used: Instant.nullable(),
  created: Instant,
});
export type SmtpUserView = z.infer<typeof SmtpUserView>;

const settings = {
  title: line(MAX_TITLE_LENGTH, 1).optional(),
  subject: line(MAX_SUBJECT, 1).optional(),
  preheader: line(MAX_PREHEADER).optional(),
  from_name: line(MAX_NAME_LENGTH).optional(),
  from_email: z.union([z.literal(''), senderAddress(MAX_EMAIL)]).optional(),
  reply_to: z.union([z.literal(''), senderAddress(MAX_EMAIL)]).optional(),
};
const params = z.object({ id: idOf('transactional') });
const templateResponse = dataResponse(TemplateDetails);

export const calls = defineCalls({
  listEmails: {
    method: 'GET',
    path: '/client-api/api/transactional',
    caller: 'account',
    summary: 'List transactional emails with statistics',
    description:
      'Emails without a template, sent over SMTP or with `POST /v2/message/send`, are counted under `other`.',
    query: listQuery({ sorts: ['created', 'title', 'modified'], direction: 'desc' }),
    response: listResponse(Transactional).extend({
      /** Null if no such email was ever sent. */
      other: z.object({ id: Id, figures: EmailFigures }).nullable(),
    }),
  },
  createEmail: {
    method: 'POST',
    path: '/client-api/api/transactional',
    caller: 'account',
    requiredRight: 'transactional',
    summary: 'Create a transactional email',
    body: z.strictObject(settings),
    response: templateResponse,
    errors: { too_many_emails: 422 },
  },
  readEmail: {
    method: 'GET',
    path: '/client-api/api/transactional/{id}',
    caller: 'account',
    summary: 'Get a transactional email',
    params,
    response: templateResponse,
  },
  updateEmail: {
    method: 'PATCH',
    path: '/client-api/api/transactional/{id}',
    caller: 'account',
    requiredRight: 'transactional',
    summary: 'Update settings of a transactional email',
    params,
    body: z.strictObject({
      ...settings,
      /** Sample values, which replace all previous ones. */
      variables: z.array(Variable).max(MAX_VARIABLES).optional(),
      revision: z.number().int().positive(),
    }),
    response: templateResponse,
    errors: { stale_revision: 409 },
  },
  deleteEmail: {
    method: 'DELETE',
    path: '/client-api/api/transactional/{id}',
    caller: 'account',
    requiredRight: 'transactional',
    summary: 'Delete a transactional email',
    description: 'Messages already sent remain in the statistics.',
    params,
    response: SuccessResponse,
  },
  duplicateEmail: {
    method: 'POST',
    path: '/client-api/api/transactional/{id}/duplicate',
    caller: 'account',
    requiredRight: 'transactional',
    summary: 'Duplicate a transactional email',
    description: 'Copies settings and content.',
    params,
    response: templateResponse,
    errors: { too_many_emails: 422 },
  },
  readReport: {
    method: 'GET',
    path: '/client-api/api/transactional/{id}/report',
    caller: 'account',
    summary: 'Get statistics of a transactional email',
    description:
      "Returns the figures by period in the account's time zone. `from` and `to` are included, and periods without emails are omitted.",
    params,
    query: z.strictObject({ from: Day, to: Day, period: z.enum(PERIODS) }),
    response: dataResponse(
      z.object({
        total: EmailFigures,
        periods: z.array(EmailFigures.extend({ date: z.string() })),
      }),
    ),
  },
  listActivity: {
    method: 'GET',
    path: '/client-api/api/transactional/{id}/activity',
    caller: 'account',
    requiredRight: 'people',
    summary: 'List recipients by activity',
    description:
      'Activities are, for example, sent, opened and clicked. By default, the newest come first.',
    params,
    query: listQuery({ sorts: ['at'], direction: 'desc' }, { kind: z.enum(ACTIVITIES) }),
    response: listResponse(ActivityRow),
  },
  readSentEmail: {
    method: 'GET',
    path: '/client-api/api/transactional/{id}/emails/{email}',
    caller: 'account',
    requiredRight: 'people',
    transaction: 'own',
    slots: 'preview',
    summary: 'Get a sent email',
    description: 'Returns the content as the recipient received it, and the events of the email.',
    params: z.object({ id: idOf('transactional'), email: z.string().max(60) }),
    response: dataResponse(SentEmail),
  },
  exportActivity: {
    method: 'GET',
    path: '/client-api/api/transactional/{id}/activity/export',
    caller: 'account',
    requiredRight: 'export',
    summary: 'Export recipients by activity',
    description: 'Returns a CSV file, oldest first.',
    params,
    query: z.strictObject({ kind: z.enum(ACTIVITIES) }),
    transaction: 'own',
  },
  readHeatmap: {
    method: 'GET',
    path: '/client-api/api/transactional/{id}/heatmap',
    caller: 'account',
    summary: 'Get the latest content with link clicks',
    params,
    response: dataResponse(
      z.object({
        html: z.string().nullable(),
        links: z.array(
          z.object({
            position: z.number(),
            url: z.string(),
            label: z.string(),
            clicks: z.number(),
            human_clicks: z.number(),
          }),
        ),
      }),
    ),
    errors: { not_sent_yet: 409 },
  },
  readSetup: {
    method: 'GET',
    path: '/client-api/api/transactional/{id}/setup',
    caller: 'account',
    summary: 'Get code samples for a transactional email',
    description: 'Returns one complete request per programming language.',
    params,
    response: dataResponse(z.array(z.object({ way: z.string(), code: z.string() }))),
  },
  listSmtpUsers: {
    method: 'GET',
    path: '/client-api/api/smtp_users',
    caller: 'account',
    requiredRight: 'admin',
    summary: 'List SMTP users',
    description: 'Includes the host and ports to connect to.',
    query: listQuery({ sorts: ['created', 'title'], direction: 'desc' }),
    response: listResponse(SmtpUserView).extend({
      /** A port is null if the server does not listen on it. */
      server: z.object({
        host: z.string(),
        port: z.number().nullable(),
        tls_port: z.number().nullable(),
      }),
    }),
  },
  createSmtpUser: {
    method: 'POST',
    path: '/client-api/api/smtp_users',
    caller: 'account',
    requiredRight: 'admin',
    isPersonal: true,
    summary: 'Create an SMTP user',
    description: 'The password is returned once and cannot be read again.',
    body: z.strictObject({ title: line(MAX_TITLE_LENGTH, 1) }),
    response: dataResponse(SmtpUserView.extend({ password: z.string() })),
    errors: { too_many_smtp_users: 422 },
  },
  deleteSmtpUser: {
    method: 'DELETE',
    path: '/client-api/api/smtp_users/{id}',
    caller: 'account',
    requiredRight: 'admin',
    summary: 'Delete an SMTP user',
    description: 'Later submissions with this user name are refused.',
    params: z.object({ id: idOf('smtp_user') }),
    response: SuccessResponse,
  },
});
