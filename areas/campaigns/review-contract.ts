// A campaign before it leaves: previews, checks, test mails.
import { z } from 'zod';
import { dataAnswer, defineCalls, Id, idOf } from '#platform/contract.ts';
import { Email, Finding, params, Words } from './campaign-contract.ts';
import { CONTENT_KINDS, TESTS_MOST } from './limits.ts';

const PreviewQuery = z.strictObject({ subscriber: idOf('subscriber').optional() });

export const reviewCalls = defineCalls({
  previewCampaign: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/preview',
    who: 'account',
    summary:
      'The HTML as a subscriber would get it; links lead where they lead, nothing is counted',
    params,
    query: PreviewQuery,
    answer: dataAnswer(
      z.object({
        subject: z.string(),
        preheader: z.string(),
        html: z.string().nullable(),
        size: z.number(),
      }),
    ),
    errors: { content_invalid: 422 },
  },
  previewPlain: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/plain_preview',
    who: 'account',
    summary: 'The plain text as a subscriber would get it',
    params,
    query: PreviewQuery,
    answer: dataAnswer(z.object({ subject: z.string(), preheader: z.string(), text: z.string() })),
    errors: { content_invalid: 422 },
  },
  previewDraft: {
    method: 'POST',
    path: '/client-api/api/campaigns/{id}/preview',
    who: 'account',
    summary: 'Preview and checks of content that is not saved yet',
    params,
    body: z.strictObject({
      editor: z.enum(CONTENT_KINDS),
      ...Words,
      subscriber: idOf('subscriber').optional(),
    }),
    answer: dataAnswer(
      z.object({
        subject: z.string(),
        preheader: z.string(),
        html: z.string().nullable(),
        text: z.string().nullable(),
        size: z.number(),
        findings: z.array(Finding),
      }),
    ),
    bodyLimit: 8 * 1024 * 1024,
  },
  listPreviewPeople: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/preview_people',
    who: 'account',
    summary: 'A few subscribers to preview as',
    params,
    query: z.strictObject({ search: z.string().max(255).optional() }),
    answer: dataAnswer(z.array(z.object({ id: Id, email: z.string(), name: z.string() }))),
  },
  checkCampaign: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/checks',
    who: 'account',
    summary: 'What to know before sending: errors, warnings and tips, worst first',
    params,
    answer: dataAnswer(z.array(Finding)),
  },
  checkLinks: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/checks/links',
    who: 'account',
    summary: 'The links that do not exist or do not answer; asks each of them over the network',
    params,
    answer: dataAnswer(z.array(Finding)),
    transaction: 'own',
  },
  testCampaign: {
    method: 'POST',
    path: '/client-api/api/campaigns/{id}/test',
    who: 'account',
    summary: 'Sends the mail as it is now to a few addresses',
    params,
    body: z.strictObject({
      emails: z.array(Email).min(1).max(TESTS_MOST),
      subscriber: idOf('subscriber').optional(),
    }),
    answer: dataAnswer(z.object({ sent: z.number() })),
    errors: { content_invalid: 422, sender_not_verified: 422, test_unwanted: 422 },
    idempotent: true,
  },
  listMergeTags: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/merge_tags',
    who: 'account',
    summary: 'What merge tags may name in this account',
    params,
    answer: dataAnswer(
      z.array(
        z.object({
          name: z.string(),
          title: z.string(),
          kind: z.enum(['person', 'field', 'system']),
        }),
      ),
    ),
  },
});
