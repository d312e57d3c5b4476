// Calls that compose an email: content, previews, checks and test emails. Each area with emails
// defines them under its own paths (`/client-api/api/campaigns/{id}/content` …).
import { z } from 'zod';
import {
  dataResponse,
  defineCalls,
  SuccessResponse,
  Id,
  idOf,
  Instant,
  itemRoutes,
  text,
} from '#platform/contract.ts';
import { recipientAddress } from '#platform/email-address.ts';
import type { Kind } from '#platform/ids.ts';
import { ContentFinding } from './contract.ts';
import type { EmailDocument } from './document.ts';
import { CONTENT_KINDS, MAX_EMAIL, FINDING_STEPS, MAX_TEST_NOTE, MAX_TESTS } from './shared.ts';

/** A finding of the checks before sending. */
export const ComposingFinding = ContentFinding.extend({
  /** Screen where the finding can be resolved. */
  step: z.enum(FINDING_STEPS),
});
export type ComposingFinding = z.infer<typeof ComposingFinding>;

export const ComposedContent = z.object({
  /** Editor of the content; null without content. */
  editor: z.enum(CONTENT_KINDS).nullable(),
  /** Only the fields below that belong to `editor` are set. */
  document: z.custom<EmailDocument>().nullable(),
  html: z.string().nullable(),
  plain_text: z.string().nullable(),
  /** For custom HTML: whether style sheets are inlined when the email is built. */
  inline_css: z.boolean(),
  content_revision: z.number().nullable(),
  /** Revision of the item that the email belongs to; a save with an outdated one is refused. */
  revision: z.number(),
  saved_at: Instant.nullable(),
});
export type ComposedContent = z.infer<typeof ComposedContent>;

/** A file attached to every copy. */
export const ContentAttachment = z.object({
  id: Id,
  name: z.string(),
  type: z.string(),
  bytes: z.number(),
});
export type ContentAttachment = z.infer<typeof ContentAttachment>;

/** Content of an editor: a document, HTML or plain text. */
const ContentInput = {
  document: z.custom<EmailDocument>().optional(),
  html: z.string().nullable().optional(),
  plain_text: z.string().nullable().optional(),
  inline_css: z.boolean().optional(),
};
const Email = recipientAddress(MAX_EMAIL);
const subscriber = idOf('subscriber').optional();
const PreviewQuery = z.strictObject({ subscriber });
const MAX_BODY = 8 * 1024 * 1024;

function contentCalls<const Base extends `/${string}`>(
  base: Base,
  kind: Kind,
  lockErrors: Record<string, number>,
) {
  const { itemPath, params } = itemRoutes(base, kind);
  return defineCalls({
    readContent: {
      method: 'GET',
      path: itemPath('content'),
      caller: 'account',
      summary: 'Get the content',
      params,
      response: dataResponse(ComposedContent),
    },
    saveContent: {
      method: 'PUT',
      path: itemPath('content'),
      caller: 'account',
      summary: 'Update the content',
      description:
        'Saves a document, custom HTML or plain text as a new revision. Changing the kind discards the previous content and must be confirmed.',
      params,
      body: z.strictObject({
        revision: z.number().int().positive().optional(),
        editor: z.enum(CONTENT_KINDS),
        ...ContentInput,
        /** Allows replacing content of another editor. */
        confirm_switch: z.boolean().optional(),
      }),
      response: dataResponse(ComposedContent),
      errors: { ...lockErrors, editor_switch: 409, document_invalid: 422, document_newer: 422 },
      bodyLimit: MAX_BODY,
    },
  });
}

/** Attachment calls. */
function attachmentCalls<const Base extends `/${string}`>(
  base: Base,
  kind: Kind,
  lockErrors: Record<string, number>,
) {
  const { itemPath, params } = itemRoutes(base, kind);
  return defineCalls({
    listAttachments: {
      method: 'GET',
      path: itemPath('attachments'),
      caller: 'account',
      summary: 'List attachments',
      description: 'Returns the attachments in the order in which they were added.',
      params,
      response: dataResponse(z.array(ContentAttachment)),
    },
    addAttachment: {
      method: 'POST',
      path: itemPath('attachments'),
      caller: 'account',
      summary: 'Attach a file',
      description:
        'Accepts multipart with one part `file`. An email can have 10 files of 5 MB together; executables are refused. An identical file of the same name is attached once.',
      params,
      response: dataResponse(ContentAttachment),
      errors: {
        ...lockErrors,
        content_missing: 409,
        attachment_refused: 422,
        attachments_full: 422,
        attachments_too_large: 422,
        file_missing: 422,
        too_many_requests: 429,
      },
      acceptsIdempotencyKey: false,
      transaction: 'own',
    },
    removeAttachment: {
      method: 'DELETE',
      path: itemPath('attachments/{attachment}'),
      caller: 'account',
      summary: 'Detach a file',
      description: 'The attachment remains in sent emails.',
      params: z.object({ id: idOf(kind), attachment: idOf('attachment') }),
      response: SuccessResponse,
      errors: lockErrors,
    },
  });
}

// oxlint-disable-next-line eslint/max-lines-per-function -- One flat table of calls.
function previewCalls<const Base extends `/${string}`>(base: Base, kind: Kind) {
  const { itemPath, params } = itemRoutes(base, kind);
  return defineCalls({
    showThumbnail: {
      method: 'GET',
      path: itemPath('thumbnail'),
      caller: 'account',
      transaction: 'own',
      slots: 'preview',
      summary: 'Render the email as a thumbnail page',
      params,
      query: z.object({ v: z.string().max(64).optional() }),
    },
    preview: {
      method: 'GET',
      path: itemPath('preview'),
      caller: 'account',
      transaction: 'own',
      slots: 'preview',
      summary: 'Render the HTML for a subscriber',
      description: 'Links are not tracked.',
      params,
      query: PreviewQuery,
      response: dataResponse(
        z.object({
          subject: z.string(),
          preheader: z.string(),
          html: z.string().nullable(),
          size: z.number(),
        }),
      ),
      errors: { content_invalid: 422, document_too_slow: 422 },
    },
    previewPlain: {
      method: 'GET',
      path: itemPath('plain_preview'),
      caller: 'account',
      transaction: 'own',
      slots: 'preview',
      summary: 'Render the plain text for a subscriber',
      params,
      query: PreviewQuery,
      response: dataResponse(
        z.object({ subject: z.string(), preheader: z.string(), text: z.string() }),
      ),
      errors: { content_invalid: 422, document_too_slow: 422 },
    },
    previewDraft: {
      method: 'POST',
      path: itemPath('preview'),
      caller: 'account',
      requiredRight: 'read',
      transaction: 'own',
      slots: 'preview',
      summary: 'Preview and validate unsaved content',
      params,
      body: z.strictObject({ editor: z.enum(CONTENT_KINDS), ...ContentInput, subscriber }),
      response: dataResponse(
        z.object({
          subject: z.string(),
          preheader: z.string(),
          html: z.string().nullable(),
          text: z.string().nullable(),
          size: z.number(),
          findings: z.array(ComposingFinding),
        }),
      ),
      errors: { document_too_slow: 422 },
      bodyLimit: MAX_BODY,
    },
    listPreviewPeople: {
      method: 'GET',
      path: itemPath('preview_people'),
      caller: 'account',
      requiredRight: 'people',
      summary: 'List subscribers to preview with',
      description:
        'Returns at most eight subscribers: the newest, or those whose email address starts with the search.',
      params,
      query: z.strictObject({ search: z.string().max(255).optional() }),
      response: dataResponse(z.array(z.object({ id: Id, email: z.string(), name: z.string() }))),
    },
  });
}

/** Calls for the checks before sending. */
function checkCalls<const Base extends `/${string}`>(base: Base, kind: Kind) {
  const { itemPath, params } = itemRoutes(base, kind);
  return defineCalls({
    check: {
      method: 'GET',
      path: itemPath('checks'),
      caller: 'account',
      transaction: 'own',
      slots: 'preview',
      summary: 'Validate the content before sending',
      description: 'Returns errors, warnings and tips, the worst first.',
      params,
      response: dataResponse(z.array(ComposingFinding)),
      errors: { document_too_slow: 422 },
    },
    checkLinks: {
      method: 'GET',
      path: itemPath('checks/links'),
      caller: 'account',
      slots: 'preview',
      summary: 'Check the links of the content',
      description:
        'Requests up to 50 different links without merge tags and returns those that do not respond or respond with 404, 410 or 5xx.',
      params,
      response: dataResponse(z.array(ComposingFinding)),
      errors: { document_too_slow: 422 },
      transaction: 'own',
    },
    sendTest: {
      method: 'POST',
      path: itemPath('test'),
      caller: 'account',
      slots: 'preview',
      summary: 'Send a test email',
      params,
      description:
        'The email has the values of a subscriber, by default of the newest; callers without the right `people` get sample values. The note is shown above the content. The addresses are saved as test recipients. If one of them has opted out, nothing is sent.',
      body: z.strictObject({
        emails: z.array(Email).min(1).max(MAX_TESTS),
        subscriber,
        note: text(MAX_TEST_NOTE).optional(),
      }),
      response: dataResponse(z.object({ sent: z.number() })),
      errors: { content_invalid: 422, document_too_slow: 422, test_unwanted: 422 },
    },
  });
}

function mergeTagCalls<const Base extends `/${string}`>(base: Base, kind: Kind) {
  const { itemPath, params } = itemRoutes(base, kind);
  return defineCalls({
    listMergeTags: {
      method: 'GET',
      path: itemPath('merge_tags'),
      caller: 'account',
      summary: 'List merge tags available in the email',
      params,
      response: dataResponse(
        z.array(
          z.object({
            name: z.string(),
            title: z.string(),
            kind: z.enum(['person', 'field', 'variable', 'list', 'system']),
            /** Whether the tag always has a value, so that it needs no fallback. */
            is_required: z.boolean().optional(),
          }),
        ),
      ),
    },
  });
}

/**
 * @param base path of the items to which the emails belong, such as `/…/campaigns`
 * @param kind kind of the ids in these paths
 * @param lockErrors codes of errors that prevent changes, with their statuses
 */
export function composingCalls<const Base extends `/${string}`>(
  base: Base,
  kind: Kind,
  lockErrors: Record<string, number>,
) {
  return {
    ...contentCalls(base, kind, lockErrors),
    ...attachmentCalls(base, kind, lockErrors),
    ...previewCalls(base, kind),
    ...checkCalls(base, kind),
    ...mergeTagCalls(base, kind),
  };
}
