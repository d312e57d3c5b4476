// Serves transactional email in the public API.
import { type SendingOptions, saveComposed } from '#areas/content/server/index.ts';
import type { ListRequest } from '#platform/contract.ts';
import { decodeId, encodeId } from '#platform/ids.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { invalid } from '#platform/server/errors.ts';
import type { KeyedCall } from '#platform/server/http/idempotency.sql.ts';
import { readStoredResponse, replayResponse } from '#platform/server/http/idempotency.ts';
import {
  type Caller,
  type CallContext,
  type Route,
  createRoutes,
} from '#platform/server/http/serve.ts';
import { presentPage } from '#platform/server/http/v2.ts';
import { buildListResponse } from '#platform/server/database/lists.ts';
import { formatV2Time } from '#platform/v2-contract.ts';
import type { Transactional } from '../contract.ts';
import type { TransactionalActivity } from '../shared.ts';
import { type PublicTransactional, publicCalls } from '../public-contract.ts';
import { toSendResponse } from './accept.ts';
import { fetchAttachments } from './attachments.ts';
import * as store from './emails.sql.ts';
import * as emails from './emails.ts';
import { presentActivity, buildReport } from './report.ts';
import { type SendCall, previewCall, sendCall } from './send.ts';

type Listing = Pick<
  CallContext<(typeof publicCalls)['listSent']>,
  'tx' | 'caller' | 'params' | 'request'
> & {
  query: { list: ListRequest<'at'> };
};

type Recipient = { email: string; name?: string | undefined };
type SendBody = {
  to?: Recipient | undefined;
  recipient_email?: string | undefined;
  attachments?: Record<string, string> | undefined;
};
type SendContext = Pick<
  CallContext<(typeof publicCalls)['sendTemplate']>,
  'db' | 'caller' | 'reply' | 'keyedCall'
> & { body: SendBody };
type SentResponse = ReturnType<typeof toSendResponse>;

function recipientOf(body: SendBody): Recipient {
  const recipient = body.to ?? (body.recipient_email ? { email: body.recipient_email } : undefined);
  if (!recipient) throw invalid({ to: ['errors.fields.required'] });
  return recipient;
}

async function sendPublic(
  { db, caller, body, reply, keyedCall }: SendContext,
  call: Omit<SendCall, 'to'>,
  options: SendingOptions,
): Promise<SentResponse> {
  const recipient = recipientOf(body);
  // A repeated call does not fetch its attachments again.
  const repeated =
    keyedCall && body.attachments && (await readStoredResponse(db, keyedCall, reply));
  if (repeated) return repeated.response as SentResponse;
  const attachments = body.attachments && (await fetchAttachments(body.attachments));
  const result = await sendCall(
    db,
    caller.accountId,
    { ...call, to: recipient, attachments },
    options,
    keyedCall,
  );
  if ('earlierCall' in result) {
    return replayResponse(result.earlierCall, keyedCall as KeyedCall, reply) as SentResponse;
  }
  reply.header('x-message-id', result.emailId);
  return toSendResponse(result.emailId);
}

const actions = (kind: TransactionalActivity) => (listing: Listing) => listActions(listing, kind);

const actionLists = {
  listSent: actions('sent'),
  listOpens: actions('opens'),
  listClicks: actions('clicks'),
  listBounces: actions('bounces'),
  listUnsubscribes: actions('unsubscribes'),
  listComplaints: actions('spam'),
};

export function publicTransactionalRoutes(options: SendingOptions): Route[] {
  return createRoutes(
    'transactional',
    publicCalls,
    {
      send: (context) => {
        const { to: _, recipient_email: __, attachments: ___, ...fields } = context.body;
        const { strict_variables: isStrict, ...content } = fields;
        return sendPublic(context, { ...content, hasLiteralBraces: !isStrict }, options);
      },
      sendTemplate: (context) => {
        const { to: _, recipient_email: __, attachments: ___, ...fields } = context.body;
        return sendPublic(context, { ...fields, template: context.params.id }, options);
      },
      preview: async ({ db, caller, params, body }) => {
        const call = {
          template: params.id,
          to: body.to ?? { email: '' },
          variables: body.variables,
        };
        return previewCall(db, caller.accountId, call, options);
      },
      listEmails: async ({ tx, caller, query, request }) =>
        presentPage(request, await emails.listEmails(tx, caller.accountId, query.list), (email) =>
          present(caller, email),
        ),
      createEmail: async ({ tx, caller, body }) => {
        const email = await emails.createEmail(tx, caller, settingsOf(body));
        return present(caller, await saveEmailContent(tx, caller, email, body));
      },
      readEmail: async ({ tx, caller, params }) =>
        present(caller, await emails.readEmail(tx, caller.accountId, params.id)),
      updateEmail: async ({ tx, caller, params, body }) => {
        const settings = settingsOf(body);
        const email = await emails.updateEmail(
          tx,
          caller.accountId,
          params.id,
          undefined,
          settings,
        );
        return present(caller, await saveEmailContent(tx, caller, email, body));
      },
      deleteEmail: async ({ tx, caller, params }) => {
        await emails.deleteEmail(tx, caller.accountId, params.id);
        return { success: true as const, message: 'Transactional email has been deleted' };
      },
      readReport: async ({ tx, caller, params, query }) => {
        const { total, periods } = await buildReport(tx, caller.accountId, params.id, query);
        return { ...total, periods };
      },
      ...actionLists,
    },
    {},
    'content',
  );
}

type EmailFields = {
  title?: string | undefined;
  subject?: string | undefined;
  preheader?: string | undefined;
  from?: string | undefined;
  reply_to?: string | undefined;
  editor?: 'plain' | 'html' | 'builder' | undefined;
  content?: string | undefined;
};

/**
 * Converts the settings. In the API, `from` is only the sender's name; `reply_to` is also the
 * sender's address.
 */
function settingsOf({
  title,
  subject,
  preheader,
  from,
  reply_to,
}: EmailFields): emails.TransactionalSettings {
  const settings = { title, subject, preheader, from_name: from, from_email: reply_to, reply_to };
  const definedEntries = Object.entries(settings).filter(([, value]) => value !== undefined);
  return Object.fromEntries(definedEntries) as emails.TransactionalSettings;
}

async function saveEmailContent(
  tx: Tx,
  caller: Caller,
  email: Transactional,
  { editor = email.editor === 'text' ? 'plain' : 'html', content }: EmailFields,
): Promise<Transactional> {
  if (content === undefined || editor === 'builder') return email;
  const id = decodeId('transactional', email.id) as number;
  const body =
    editor === 'plain'
      ? ({ kind: 'text', html: null, plain_text: content } as const)
      : ({ kind: 'html', html: content, plain_text: null } as const);
  const save = { revision: email.revision, content: body, maySwitchEditor: true };
  await saveComposed(tx, emails.transactionalEmails, caller, id, save);
  return emails.readEmail(tx, caller.accountId, id);
}

async function listActions(
  { tx, caller, params, query: { list }, request }: Listing,
  kind: TransactionalActivity,
) {
  const { accountId } = caller;
  await emails.requireEmail(tx, accountId, params.id);
  const filter = { id: params.id, kind, search: undefined };
  const page = await buildListResponse(
    list,
    {
      rows: (slice) => store.listActivity(tx, accountId, filter, list.direction, slice),
      total: () => store.countActivity(tx, accountId, filter),
    },
    (row) => presentActivity(accountId, row),
  );
  return presentPage(request, page, ({ id, email, at, url }) => ({
    id,
    email,
    created_at: formatV2Time(at),
    url,
  }));
}

const PUBLIC_EDITORS = { editor: 'builder', html: 'html', text: 'plain' } as const;

function present({ accountId }: Caller, email: Transactional): PublicTransactional {
  const { id, title, subject, preheader, last_action, editor, thumbnail_url } = email;
  const html = {
    id: editor === null ? null : id,
    thumbnail_url,
    has_preview: editor !== null,
    has_snapshots: false,
    styles: null,
  };
  return {
    ...{ id, title, subject, preheader, last_action, html },
    user_id: null,
    account_id: encodeId('account', accountId),
    from: email.from_name,
    reply_to: email.reply_to || email.from_email,
    domain_id: null,
    created: formatV2Time(email.created),
    modified: formatV2Time(email.modified),
    type: 'API',
    editor: editor === null ? null : PUBLIC_EDITORS[editor],
    purchaseCount: 0,
  };
}
