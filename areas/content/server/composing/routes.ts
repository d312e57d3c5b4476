// Routes for composing an email (content, attachments, previews, checks and tests), which every
// area with emails registers under its own paths.
import { readFields } from '#areas/fields/server/index.ts';
import {
  type Handlers,
  type CallLimits,
  type Route,
  createRoutes,
} from '#platform/server/http/serve.ts';
import { AccountSlots } from '#platform/server/account-slots.ts';
import { readToEndIfRefused } from '#platform/server/http/refused-upload.ts';
import { requireToken } from '#platform/server/limits/rate-limit.ts';
import { composingCalls } from '../../composing-contract.ts';
import type { EmailDocument } from '../../document.ts';
import { MAX_ATTACHED_BYTES, type ContentKind, PERSON_TAGS, SYSTEM_TAGS } from '../../shared.ts';
import { attach, detach, listAttachments } from '../attachments/attachments.ts';
import type { ContentInput } from '../contents.ts';
import { sendEmailPage } from '../email-page.ts';
import { readUpload } from '../upload.ts';
import { readComposed, saveComposed } from './draft.ts';
import type { Email, EmailAdapter, SendingOptions } from './email.ts';
import { checkEmail, attachStep } from './findings.ts';
import { checkLinks } from './link-check.ts';
import {
  listPreviewSubscribers,
  previewDraft,
  previewStored,
  toPreviewedSubscriber,
  renderThumbnailPage,
} from './preview.ts';
import { sendTestEmail } from './test-email.ts';

type ComposingCalls = ReturnType<typeof composingCalls<'/{base}'>>;

/** Limit of test emails: each call sends to up to ten addresses, which need not be subscribed. */
const TEST_EMAIL_RATE = { capacity: 60, perSecond: 60 / 3600 };

/** Limit of concurrent uploads: each takes some megabytes of memory until it is read. */
const uploadSlots = new AccountSlots(2);

const limits: CallLimits<ComposingCalls> = {
  sendTest: ({ db, caller }) => requireToken(db, `test-email:${caller.accountId}`, TEST_EMAIL_RATE),
};

export function composingRoutes(adapter: EmailAdapter, options: SendingOptions): Route[] {
  // The path does not affect the types of the calls.
  const calls = composingCalls(adapter.basePath as '/{base}', adapter.kind, adapter.lockErrors);
  const handlers = {
    ...draftHandlers(adapter, options),
    ...attachmentHandlers(adapter),
    ...reviewHandlers(adapter, options),
  };
  return createRoutes<ComposingCalls>(adapter.area, calls, handlers, limits, 'content');
}

type OwnHandlers<Names extends keyof ComposingCalls> = Pick<Handlers<ComposingCalls>, Names>;

function draftHandlers(
  adapter: EmailAdapter,
  options: SendingOptions,
): OwnHandlers<'readContent' | 'saveContent' | 'showThumbnail' | 'listMergeTags'> {
  const { find } = adapter;
  return {
    readContent: async ({ tx, caller, params }) =>
      await readComposed(tx, await find(tx, caller.accountId, params.id)),
    saveContent: async ({ tx, caller, params, body }) => {
      const { revision, confirm_switch: maySwitchEditor = false } = body;
      const save = { revision, content: toContentInput(body), maySwitchEditor };
      return saveComposed(tx, adapter, caller, params.id, save);
    },
    showThumbnail: async ({ db, caller, params, reply }) => {
      const page = await renderThumbnailPage(
        db,
        await find(db, caller.accountId, params.id),
        options,
      );
      return sendEmailPage(reply, page, 'never');
    },
    listMergeTags: async ({ tx, caller, params }) => {
      const { variables = [] } = await find(tx, caller.accountId, params.id);
      const fields = await readFields(tx, caller.accountId);
      return [
        ...PERSON_ORDER.map((name) => ({ name, title: name, kind: 'person' as const })),
        ...fields.map(({ name, title }) => ({ name, title, kind: 'field' as const })),
        ...variables.map(({ name, title, isList, isRequired }) => ({
          name,
          title,
          kind: isList ? ('list' as const) : ('variable' as const),
          ...(isRequired && { is_required: true }),
        })),
        ...SYSTEM_TAGS.map((name) => ({ name, title: name, kind: 'system' as const })),
      ];
    },
  };
}

function attachmentHandlers(
  adapter: EmailAdapter,
): OwnHandlers<'listAttachments' | 'addAttachment' | 'removeAttachment'> {
  return {
    listAttachments: async ({ tx, caller, params }) =>
      await listAttachments(tx, await adapter.find(tx, caller.accountId, params.id)),
    addAttachment: ({ db, caller, params, request }) =>
      readToEndIfRefused(request, () =>
        uploadSlots.runInSlot(caller.accountId, () =>
          attach(db, adapter, caller, params.id, () =>
            readUpload(request, MAX_ATTACHED_BYTES, 'attachments_too_large'),
          ),
        ),
      ),
    removeAttachment: ({ tx, caller, params }) =>
      detach(tx, adapter, caller, params.id, params.attachment),
  };
}

/** Order of the menu: names before addresses. */
const PERSON_ORDER: (typeof PERSON_TAGS)[number][] = ['firstname', 'lastname', 'email', 'phone'];

function reviewHandlers(
  adapter: EmailAdapter,
  options: SendingOptions,
): Omit<
  Handlers<ComposingCalls>,
  keyof ReturnType<typeof draftHandlers> | keyof ReturnType<typeof attachmentHandlers>
> {
  const { find, sendTest } = adapter;
  return {
    preview: async ({ db, caller, params, query }) => {
      const email = await find(db, caller.accountId, params.id);
      const subscriber = toPreviewedSubscriber(caller, query.subscriber);
      const preview = await previewStored(db, email, subscriber, options);
      const { subject, preheader, html, size } = preview;
      return { subject, preheader, html, size };
    },
    previewPlain: async ({ db, caller, params, query }) => {
      const email = await find(db, caller.accountId, params.id);
      const subscriber = toPreviewedSubscriber(caller, query.subscriber);
      const preview = await previewStored(db, email, subscriber, options);
      const { subject, preheader, text } = preview;
      return { subject, preheader, text };
    },
    previewDraft: async ({ db, caller, params, body }) => {
      const email: Email = await find(db, caller.accountId, params.id);
      const { document = null, inline_css = false, ...content } = toContentInput(body);
      const draft = { ...content, document, inline_css };
      const preview = await previewDraft(
        db,
        email,
        draft,
        toPreviewedSubscriber(caller, body.subscriber),
        options,
      );
      return { ...preview, findings: preview.findings.map(attachStep) };
    },
    listPreviewPeople: async ({ tx, caller, params, query }) => {
      await find(tx, caller.accountId, params.id);
      return listPreviewSubscribers(tx, caller.accountId, query.search);
    },
    check: async ({ db, caller, params }) => {
      const email = await find(db, caller.accountId, params.id);
      return checkEmail(db, email, options, adapter.addFindings);
    },
    checkLinks: ({ db, caller, params }) =>
      checkLinks(db, adapter, caller.accountId, params.id, options),
    sendTest: async ({ tx, caller, params, body }) => {
      const email = await find(tx, caller.accountId, params.id);
      const subscriber = toPreviewedSubscriber(caller, body.subscriber);
      const result = await sendTestEmail(
        tx,
        email,
        { ...body, subscriber },
        { ...options, sendTest },
      );
      return { sent: result };
    },
  };
}

/** Converts a request to the content of the chosen editor, without the properties of others. */
function toContentInput(body: {
  editor: ContentKind;
  document?: EmailDocument | undefined;
  html?: string | null | undefined;
  plain_text?: string | null | undefined;
  inline_css?: boolean | undefined;
}): ContentInput {
  const { editor: kind, document, html, plain_text = null } = body;
  if (kind === 'editor') return { kind, document, html: null, plain_text };
  if (kind === 'text') return { kind, html: null, plain_text };
  return { kind, html: html ?? '', plain_text, inline_css: body.inline_css };
}
