// Sends one transactional email to one recipient: the template or the call's own content becomes a
// message with a single send, which is committed before the call is acknowledged.
import { createHash } from 'node:crypto';
import {
  type AttachedPart,
  ContentError,
  createContentError,
  type Email,
  type MessageSource,
  createMessageSource,
  previewSource,
  type SendingOptions,
  type MergeValues,
} from '#areas/content/server/index.ts';
import { findOrCreateMessage } from '#areas/delivery/server/ledger/index.ts';
import { parseEmail } from '#areas/subscribers/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { shareFreshReads } from '#platform/server/database/batching.ts';
import type { Db, Reader } from '#platform/server/database/database.ts';
import { AppError, invalid } from '#platform/server/errors.ts';
import type { KeyedCall } from '#platform/server/http/idempotency.sql.ts';
import { generateSecret } from '#platform/server/secrets.ts';
import { findSpans } from '#platform/spans.ts';
import { PERSON_TAGS, SYSTEM_TAGS } from '../../content/shared.ts';
import { type AcceptResult, acceptEmail } from './accept.ts';
import { toEmail, requireEmail } from './emails.ts';
import { hasLogic, renderLogic } from './liquid.ts';
import { LITERALS, escapeUnknownTags } from './literal-braces.ts';
import { flatValues } from './variables.ts';

type EmailEnvelope = Email['envelope'];
type Mailbox = { email: string; name?: string | undefined };

export type SendCall = {
  /** Id of the template. */
  template?: number | undefined;
  /** Overrides the template's sender. */
  from?: Mailbox | undefined;
  reply_to?: Mailbox | undefined;
  subject?: string | undefined;
  text?: string | undefined;
  html?: string | undefined;
  to: Mailbox;
  headers?: readonly (readonly [string, string])[] | undefined;
  variables?: Record<string, unknown> | undefined;
  attachments?: readonly AttachedPart[] | undefined;
  /**
   * To and Cc as written in a submitted email with several recipients. Without this, recipients see
   * only their own address.
   */
  addressees?: MessageSource['addressees'];
  /** True for an email submitted by SMTP; its variables contain the values named in `SUBMITTED`. */
  isSubmitted?: boolean | undefined;
  /** Keeps tags without a value as written, unless the content has loops or conditions. */
  hasLiteralBraces?: boolean | undefined;
  /** Key of the single send: a further call with the same key sends nothing. */
  key?: string | undefined;
};

/** Matches header names that a program may set; all others are reserved. */
const ALLOWED_HEADER =
  /^(?:x-[a-z0-9-]{1,70}|references|in-reply-to|auto-submitted|list-[a-z-]{1,40})$/i;
export const isAllowedHeader = (name: string) => ALLOWED_HEADER.test(name);
/** Header that disables tracking of opens and clicks. */
const TRACKING = 'x-sendloom-track';

/**
 * Queues an email; resolves after the commit. Suppressed addresses are accepted too and skipped
 * when the email is due.
 * @throws `sender_not_verified`, `content_invalid`, `header_refused`, `template_empty`,
 * `not_found`; `invalid` for merge tags without a value
 */
export async function sendCall(
  db: Db,
  accountId: number,
  originalCall: SendCall,
  options: SendingOptions,
  keyedCall?: KeyedCall,
): Promise<AcceptResult> {
  const call = originalCall.hasLiteralBraces
    ? await withLiterals(db, accountId, originalCall)
    : originalCall;
  const request = { db, accountId, call, options };
  const ready = await preparedFor(request);
  const source = await withLogic(ready.source, call.variables);
  const { messageId, fields } = ready.message ?? (await messageOf(request, source));
  const values = createValues(call);
  requireValues(source, fields, values);
  const address = parseEmail(call.to.email);
  const emailKey = typeof address === 'object' ? address.key : null;
  const key = call.key ?? generateSecret();
  const single = { messageId, key, recipient: call.to.email, emailKey, values };
  return acceptEmail(db, accountId, { single, keyedCall });
}

async function withLiterals(db: Reader, accountId: number, call: SendCall): Promise<SendCall> {
  const { subject, html, text, variables = {} } = call;
  if ([subject, html, text].some((part) => part !== undefined && hasLogic(part))) return call;
  const escapedParts = await escapeUnknownTags(db, accountId, { subject, html, text }, variables);
  return escapedParts
    ? { ...call, ...escapedParts, variables: { ...variables, ...LITERALS } }
    : call;
}

type SendRequest = { db: Db; accountId: number; call: SendCall; options: SendingOptions };
type SendSource = Awaited<ReturnType<typeof sourceOf>>;
type ReadyMessage = Awaited<ReturnType<typeof findOrCreateMessage>>;
/** `message` is undefined if the content has loops or conditions, and so depends on the call. */
type PreparedEmail = { source: SendSource; message: ReadyMessage | undefined };

/** Concurrent calls with identical content read the template once, and share a message. */
const preparedFor = shareFreshReads<SendRequest, PreparedEmail>(
  async (request) => {
    const { db, accountId, call, options } = request;
    const source = await sourceOf(db, accountId, call, options);
    const dependsOnCall = partsOf(source).some(hasLogic);
    return { source, message: dependsOnCall ? undefined : await messageOf(request, source) };
  },
  ({ accountId, call }) => {
    const { to: _, key: __, variables: ___, ...content } = call;
    return createHash('sha256')
      .update(JSON.stringify([accountId, content]))
      .digest('base64');
  },
);

const partsOf = ({ subject, html, text }: SendSource) => [subject, html ?? '', text ?? ''];

async function messageOf(
  { db, accountId, call }: SendRequest,
  source: SendSource,
): Promise<ReadyMessage> {
  const { headers, isTracked } = readHeaders(call.headers ?? []);
  return findOrCreateMessage(db, {
    accountId,
    kind: 'transactional',
    sourceId: call.template ?? null,
    source: {
      ...source,
      is_tracked: isTracked,
      ...(headers.length > 0 && { headers }),
      ...(call.reply_to?.name && { reply_to_name: call.reply_to.name }),
      ...(call.isSubmitted && { is_submitted: true }),
      ...(call.addressees && { addressees: call.addressees }),
      ...(call.attachments?.length && {
        attachments: [...(source.attachments ?? []), ...call.attachments],
      }),
    },
  }).catch(asInvalid);
}

function asInvalid(error: unknown): never {
  if (!(error instanceof ContentError)) throw error;
  throw createContentError(error.findings);
}

/** Renders the email as it would be sent to the recipient. */
export async function previewCall(
  db: Reader,
  accountId: number,
  call: SendCall,
  options: SendingOptions,
): Promise<{ subject: string; html: string | null; text: string }> {
  const template = await sourceOf(db, accountId, call, options);
  const source = await withLogic(template, call.variables);
  try {
    const preview = await previewSource(
      { ...source, message_id: 0 },
      { ...createValues(call), email: call.to.email },
      clock.now(),
    );
    return { subject: preview.subject, html: preview.html ?? null, text: preview.text };
  } catch (error) {
    return asInvalid(error);
  }
}

async function sourceOf(db: Reader, accountId: number, call: SendCall, options: SendingOptions) {
  const row =
    call.template === undefined ? undefined : await requireEmail(db, accountId, call.template);
  const email = row && toEmail(row);
  const draft = ownContent(call);
  if (!draft && (!email || email.content === undefined)) throw emptyOf(email !== undefined);
  const envelope = envelopeOf(call, email?.envelope);
  // Content in the call replaces the template's content and attachments.
  const composition = { accountId, content: draft ? undefined : email?.content, envelope };
  return createMessageSource(db, composition, options, draft).catch(asInvalid);
}

const NO_ENVELOPE: EmailEnvelope = {
  kind: 'transactional',
  subject: '',
  preheader: '',
  from: { name: '', email: '' },
  reply_to: '',
  language: null,
};

/** Returns the template's envelope, overridden by fields of the call. */
function envelopeOf(call: SendCall, template: EmailEnvelope = NO_ENVELOPE): EmailEnvelope {
  const { preheader, language } = template;
  return {
    kind: 'transactional',
    subject: call.subject ?? template.subject,
    preheader,
    from: call.from ? { name: call.from.name ?? '', email: call.from.email } : template.from,
    reply_to: call.reply_to?.email ?? template.reply_to,
    language,
  };
}

/** Returns the content in the call itself, if it has any. */
function ownContent({ html, text }: SendCall) {
  if (html === undefined && text === undefined) return undefined;
  return {
    kind: html === undefined ? ('text' as const) : ('html' as const),
    document: null,
    html: html ?? null,
    plain_text: text ?? null,
    inline_css: false,
  };
}

/** Renders the source's loops and conditions with the call's variables. */
async function withLogic(
  source: SendSource,
  variables: Record<string, unknown> = {},
): Promise<SendSource> {
  const { subject, html, text } = source;
  return { ...source, ...(await renderLogic({ subject, html, text }, variables)) };
}

function emptyOf(isTemplate: boolean): AppError {
  if (isTemplate) return new AppError('template_empty');
  return invalid({ html: ['errors.fields.required'], text: ['errors.fields.required'] });
}

function readHeaders(entries: readonly (readonly [string, string])[]) {
  const headers: { name: string; value: string }[] = [];
  let isTracked = true;
  for (const [name, value] of entries) {
    if (!ALLOWED_HEADER.test(name) || /[\r\n\0]/.test(value)) {
      throw new AppError('header_refused', {
        errors: { [`headers.${name.slice(0, 80)}`]: ['errors.fields.characters'] },
      });
    }
    if (name.toLowerCase() === TRACKING) isTracked = !/^(?:no|off|false|0)$/i.test(value.trim());
    else headers.push({ name, value });
  }
  return { headers, isTracked };
}

function createValues(call: SendCall): MergeValues {
  const [firstname = '', ...rest] = (call.to.name ?? '').split(' ');
  const nameValues = call.to.name ? { firstname, lastname: rest.join(' ') } : {};
  return { ...nameValues, ...flatValues(call.variables ?? {}) };
}

const TAG = /\{\{-?\s*([a-zA-Z_][\w-]*)/g;

/**
 * Requires a value or a fallback for each merge tag of the author, because a receipt would have a
 * gap otherwise. System tags and tags of subscriber columns and fields may be empty.
 * @throws `invalid` with the names of the tags
 */
function requireValues(
  source: SendSource,
  fields: ReadyMessage['fields'],
  values: MergeValues,
): void {
  const missingNames = new Set<string>();
  for (const text of partsOf(source)) {
    for (const { openingMatch, innerText } of findSpans(text, TAG, '}}')) {
      const name = openingMatch[1] ?? '';
      const isKnown = Object.hasOwn(values, name) || /\|\s*(?:default|fallback)\b/.test(innerText);
      if (!isKnown) missingNames.add(name);
    }
  }
  for (const name of [...SYSTEM_TAGS, ...PERSON_TAGS]) missingNames.delete(name);
  for (const field of fields) missingNames.delete(field.name);
  if (missingNames.size === 0) return;
  const missing = [...missingNames].map((name) => [
    `variables.${name}`,
    ['errors.fields.required'],
  ]);
  throw invalid(Object.fromEntries(missing));
}
