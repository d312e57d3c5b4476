// Transactional email in the public API: one recipient per call, with a template or own content.
import { z } from 'zod';
import { type Call, Day, defineCalls, Id, idOf, line } from '#platform/contract.ts';
import { recipientAddress } from '#platform/email-address.ts';
import { absent, flagOr, V2Time, v2List, v2Page } from '#platform/v2-contract.ts';
import { MAX_EMAIL, MAX_CONTENT_BYTES } from '../content/shared.ts';
import {
  MAX_HEADERS,
  MAX_NAME_LENGTH,
  PERIODS,
  MAX_PREHEADER,
  MAX_SEND_BODY,
  MAX_SUBJECT,
  MAX_TITLE_LENGTH,
} from './shared.ts';

const Address = recipientAddress(MAX_EMAIL);
const Recipient = z.object({ email: Address, name: absent(line(MAX_NAME_LENGTH)) });
const ContentText = z.string().max(MAX_CONTENT_BYTES);
/** Headers are given as a map, or as a list of `{ name, value }`. */
const Headers = z.union([
  z.record(z.string().max(100), z.string().max(2000)).transform((map) => Object.entries(map)),
  z
    .array(z.object({ name: z.string().max(100), value: z.string().max(2000) }))
    .transform((list) => list.map(({ name, value }) => [name, value] as [string, string])),
]);
/** PHP encodes an empty map as an empty list. */
const map = <T extends z.ZodType>(value: T) =>
  z.union([
    z.array(z.never()).transform(() => ({}) as Record<string, z.output<T>>),
    z.record(z.string().max(255), value),
  ]);

const common = {
  to: absent(z.union([Recipient, Address.transform((email) => ({ email, name: undefined }))])),
  recipient_email: absent(Address).describe('The recipient, as an alternative to `to`.'),
  text: absent(ContentText),
  html: absent(ContentText),
  headers: absent(Headers.refine((list) => list.length <= MAX_HEADERS)),
  variables: absent(map(z.unknown())).describe(
    'Values of merge tags. They are HTML-escaped on insertion.',
  ),
  attachments: absent(map(z.string())).describe(
    'A map from file names to their content: a URL, or `base64://` followed by the encoded bytes.',
  ),
};

const SendResponse = z.object({ success: z.literal(true), message: z.string(), emailId: Id });
const errors = {
  sender_not_verified: 422,
  content_invalid: 422,
  document_too_slow: 422,
  attachment_refused: 422,
  header_refused: 422,
};
const params = z.object({ id: idOf('transactional') });
const settings = {
  title: line(MAX_TITLE_LENGTH, 1).optional(),
  preheader: line(MAX_PREHEADER).optional(),
};
const EDITORS = ['plain', 'html', 'builder'] as const;

export const PublicTransactional = z.object({
  id: Id,
  user_id: Id.nullable(),
  account_id: Id,
  title: z.string(),
  subject: z.string(),
  from: z.string(),
  reply_to: z.string(),
  preheader: z.string(),
  domain_id: Id.nullable(),
  created: V2Time,
  modified: V2Time,
  type: z.literal('API'),
  last_action: z.string(),
  editor: z.enum(EDITORS).nullable(),
  html: z.object({
    id: Id.nullable(),
    thumbnail_url: z.string().nullable(),
    has_preview: z.boolean(),
    has_snapshots: z.boolean(),
    styles: z.null(),
  }),
  purchaseCount: z.number(),
});
export type PublicTransactional = z.infer<typeof PublicTransactional>;

const templateResponse = z.object({ data: PublicTransactional });
const figures = {
  sent: z.number(),
  opens: z.number(),
  clicks: z.number(),
  bounces: z.number(),
  unsubscribes: z.number(),
  spam: z.number(),
};
const ActivityEntry = z.object({
  id: Id,
  email: z.string(),
  created_at: V2Time,
  url: z.string().nullable(),
});

function listOf<const Kind extends string>(kind: Kind, summary: string, description: string) {
  return {
    method: 'GET',
    path: `/v2/transactional/{id}/${kind}`,
    caller: 'account',
    requiredRight: 'people',
    summary,
    description,
    params,
    query: v2List({ order: 'at', direction: 'desc' }),
    response: v2Page(ActivityEntry),
  } as const satisfies Call;
}

export const publicCalls = defineCalls({
  send: {
    method: 'POST',
    path: '/v2/message/send',
    caller: 'account',
    requiredRight: 'transactional',
    audit: 'none',
    summary: 'Send an email without a template',
    description:
      'The request requires `html` or `text`. The email is stored before the response and sent in the background; an email to a suppressed address is accepted and skipped. Up to 10 attachments of 10 MB together are allowed.',
    body: z.object({
      from: Recipient.extend({ name: line(MAX_NAME_LENGTH, 1) }),
      subject: line(MAX_SUBJECT, 1),
      reply_to: absent(z.union([Recipient, Address.transform((email) => ({ email }))])),
      strict_variables: flagOr(false).describe(
        'If true, merge tags without a value are refused. By default, they stay as written, unless the content has loops or conditions.',
      ),
      ...common,
    }),
    response: SendResponse,
    errors,
    bodyLimit: MAX_SEND_BODY,
    transaction: 'own',
    storesResponseItself: true,
    example: {
      body: {
        from: { email: 'news@tea.example', name: 'Tea shop' },
        to: { email: 'ada@home.example', name: 'Ada' },
        subject: 'Your order {{ number }}',
        html: '<p>Dear {{ firstname }}, thank you for order {{ number }}.</p>',
        variables: { number: 7 },
      },
    },
  },
  sendTemplate: {
    method: 'POST',
    path: '/v2/message/{id}/send',
    caller: 'account',
    requiredRight: 'transactional',
    audit: 'none',
    summary: 'Send a template to one recipient',
    description:
      '`html` or `text` in the request replaces the content of the template and its attachments. A merge tag without a value or a default returns 422. An email to a suppressed address is accepted and skipped.',
    params,
    body: z.object(common),
    response: SendResponse,
    errors: { ...errors, template_empty: 422 },
    bodyLimit: MAX_SEND_BODY,
    transaction: 'own',
    storesResponseItself: true,
    example: {
      params: { id: '$TRANSACTIONAL_ID' },
      body: { to: { email: 'ada@home.example', name: 'Ada' }, variables: { number: 7 } },
    },
  },
  preview: {
    method: 'POST',
    path: '/v2/message/{id}/preview',
    caller: 'account',
    requiredRight: 'read',
    transaction: 'own',
    slots: 'preview',
    summary: 'Render a template for a recipient',
    description:
      'Returns the subject, HTML and text as the recipient would get them. Nothing is sent.',
    params,
    body: z.object({ variables: common.variables, to: common.to }),
    response: z.object({
      data: z.object({ subject: z.string(), html: z.string().nullable(), text: z.string() }),
    }),
    errors: { content_invalid: 422, template_empty: 422, document_too_slow: 422 },
    example: { params: { id: '$TRANSACTIONAL_ID' }, body: { variables: { number: 7 } } },
  },
  listEmails: {
    method: 'GET',
    path: '/v2/transactional',
    caller: 'account',
    summary: 'List templates',
    description: 'Returns the newest templates first, without their content.',
    query: v2List({ order: 'created', direction: 'desc' }),
    response: v2Page(PublicTransactional),
  },
  createEmail: {
    method: 'POST',
    path: '/v2/transactional',
    caller: 'account',
    requiredRight: 'transactional',
    summary: 'Create a template',
    description:
      "`from` is the sender's name, and `reply_to` is also the sender's address. With the editor `builder`, `content` is ignored, because drag-and-drop content can only be edited in the product. An account can have 1,000 templates.",
    body: z.object({
      ...settings,
      subject: line(MAX_SUBJECT, 1),
      from: line(MAX_NAME_LENGTH, 1),
      reply_to: Address,
      editor: z.enum(EDITORS),
      content: ContentText.optional(),
    }),
    response: templateResponse,
    errors: { too_many_emails: 422 },
    bodyLimit: 8 * 1024 * 1024,
    example: {
      body: {
        title: 'Receipt',
        subject: 'Your order {{ number }}',
        from: 'Tea shop',
        reply_to: 'news@tea.example',
        editor: 'html',
        content: '<p>Thank you for order {{ number }}.</p>',
      },
    },
  },
  readEmail: {
    method: 'GET',
    path: '/v2/transactional/{id}',
    caller: 'account',
    summary: 'Get a template',
    description: 'Returns the settings of the template, without its content.',
    params,
    response: templateResponse,
  },
  updateEmail: {
    method: 'PATCH',
    path: '/v2/transactional/{id}',
    caller: 'account',
    requiredRight: 'transactional',
    summary: 'Update a template',
    description:
      'Omitted fields keep their values. New content replaces the previous content, even if it was drag-and-drop content. `editor` is the format of `content` and changes nothing without it. Emails that were already sent do not change.',
    params,
    body: z.object({
      ...settings,
      subject: line(MAX_SUBJECT, 1).optional(),
      from: line(MAX_NAME_LENGTH, 1).optional(),
      reply_to: Address.optional(),
      editor: z.enum(EDITORS).optional(),
      content: ContentText.optional(),
    }),
    response: templateResponse,
    bodyLimit: 8 * 1024 * 1024,
    example: { body: { subject: 'Thank you for order {{ number }}' } },
  },
  deleteEmail: {
    method: 'DELETE',
    path: '/v2/transactional/{id}',
    caller: 'account',
    requiredRight: 'transactional',
    summary: 'Delete a template',
    description: 'Messages already sent remain in the statistics.',
    params,
    response: z.object({ success: z.literal(true), message: z.string() }),
  },
  readReport: {
    method: 'GET',
    path: '/v2/transactional/{id}/report',
    caller: 'account',
    summary: 'Get statistics of a template',
    description:
      "Returns totals and figures per period, in the account's time zone. Emails are counted in the period in which they were accepted from the program. `from` and `to` are included, and periods without emails are omitted.",
    params,
    query: z.object({ from: Day, to: Day, period: z.enum(PERIODS) }),
    response: z.object({
      data: z.object({
        ...figures,
        periods: z.array(z.object({ date: z.string(), ...figures })),
      }),
    }),
    example: { query: { from: '2026-01-01', to: '2026-01-31', period: 'day' } },
  },
  listSent: listOf(
    'sent',
    'List recipients of a template',
    'Lists each email that was accepted for delivery, newest first.',
  ),
  listOpens: listOf(
    'opens',
    'List opens of a template',
    'Lists each email once, by the time of its first open, newest first. Opens by machines are not included.',
  ),
  listClicks: listOf(
    'clicks',
    'List clicks of a template',
    'Lists every click with its link in `url`, newest first. Clicks by machines are not included.',
  ),
  listBounces: listOf(
    'bounces',
    'List bounces of a template',
    'Lists each returned email once, newest first.',
  ),
  listUnsubscribes: listOf(
    'unsubscribes',
    'List unsubscribes of a template',
    'Lists each email whose recipient unsubscribed through it, newest first.',
  ),
  listComplaints: listOf(
    'complaints',
    'List spam complaints of a template',
    'Lists each email that its recipient reported as spam, newest first.',
  ),
});
