// The calls of campaigns, each as a sentence.
import { readFields } from '#areas/fields/server/index.ts';
import { type Handlers, type Limits, type Route, serve } from '#platform/server/http/serve.ts';
import { requireToken } from '#platform/server/rate-limit.ts';
import type { EmailDocument } from '#areas/content/document.ts';
import { SYSTEM_TAGS } from '#areas/content/limits.ts';
import { type ContentInput, sendMailPage } from '#areas/content/server/index.ts';
import { calls } from '../contract.ts';
import * as campaigns from './campaigns.ts';
import { checkLinks } from './link-check.ts';
import * as message from './message.ts';
import * as recipients from './recipients.ts';
import * as resends from './resend.ts';
import * as sending from './schedule-campaign.ts';
import { testCampaign } from './test-campaign.ts';

/** Each mails up to ten addresses that nobody subscribed. */
const TESTS = { capacity: 60, perSecond: 60 / 3600 };

const limits: Limits<typeof calls> = {
  testCampaign: ({ db, who }) => requireToken(db, `campaign-test:${who.accountId}`, TESTS),
};

export function campaignRoutes(options: message.SendingOptions): Route[] {
  const handlers: Handlers<typeof calls> = {
    listCampaigns: ({ tx, who, query }) => campaigns.listCampaigns(tx, who.accountId, query),
    createCampaign: async ({ tx, who, body }) => ({
      data: await campaigns.createCampaign(tx, who, body),
    }),
    readCampaign: async ({ tx, who, params }) => ({
      data: await campaigns.readCampaign(tx, who.accountId, params.id),
    }),
    updateCampaign: async ({ tx, who, params, body: { revision, ...settings } }) => ({
      data: await campaigns.updateCampaign(tx, who, params.id, revision, settings),
    }),
    deleteCampaign: async ({ tx, who, params }) => {
      await campaigns.deleteCampaign(tx, who.accountId, params.id);
      return { success: true as const };
    },
    restoreCampaign: async ({ tx, who, params }) => ({
      data: await campaigns.restoreCampaign(tx, who.accountId, params.id),
    }),
    duplicateCampaign: async ({ tx, who, params, body }) => ({
      data: await campaigns.duplicateCampaign(tx, who, params.id, body.title),
    }),
    readContent: async ({ tx, who, params }) => ({
      data: await campaigns.readContent(tx, who.accountId, params.id),
    }),
    saveContent: async ({ tx, who, params, body }) => {
      const { revision, confirm_switch: isConfirmed = false } = body;
      const content = contentOf(body);
      return {
        data: await campaigns.saveContent(tx, who, params.id, revision, content, isConfirmed),
      };
    },
    showThumbnail: async ({ tx, who, params, query, reply }) => {
      const page = await message.thumbnailHtml(tx, who.accountId, params.id, options);
      return sendMailPage(reply, page, query.v !== undefined);
    },
    readTags: async ({ tx, who, params }) => ({
      data: await recipients.readGroups(tx, who.accountId, params.id, false),
    }),
    setTags: async ({ tx, who, params, body }) => ({
      data: await recipients.setGroups(tx, who.accountId, params.id, body.tags_arr, false, {
        sendToAll: body.send_to_all,
        revision: body.revision,
      }),
    }),
    readExcludedTags: async ({ tx, who, params }) => ({
      data: await recipients.readGroups(tx, who.accountId, params.id, true),
    }),
    setExcludedTags: async ({ tx, who, params, body }) => ({
      data: await recipients.setGroups(tx, who.accountId, params.id, body.tags_arr, true, {
        revision: body.revision,
      }),
    }),
    clearExcludedTags: async ({ tx, who, params }) => ({
      data: await recipients.setGroups(tx, who.accountId, params.id, [], true),
    }),
    readSegments: async ({ tx, who, params }) => ({
      data: await recipients.readSegments(tx, who.accountId, params.id, false),
    }),
    setSegments: async ({ tx, who, params, body }) => ({
      data: await recipients.setSegments(
        tx,
        who.accountId,
        params.id,
        body.filters_arr,
        false,
        body.revision,
      ),
    }),
    readExcludedSegments: async ({ tx, who, params }) => ({
      data: await recipients.readSegments(tx, who.accountId, params.id, true),
    }),
    setExcludedSegments: async ({ tx, who, params, body }) => ({
      data: await recipients.setSegments(
        tx,
        who.accountId,
        params.id,
        body.filters_arr,
        true,
        body.revision,
      ),
    }),
    clearExcludedSegments: async ({ tx, who, params }) => ({
      data: await recipients.setSegments(tx, who.accountId, params.id, [], true),
    }),
    countRecipients: async ({ tx, who, params }) => ({
      data: await recipients.countRecipients(tx, who.accountId, params.id),
    }),
    scheduleCampaign: async ({ tx, who, params, body }) => ({
      data: await sending.scheduleCampaign(
        tx,
        who.accountId,
        params.id,
        body.schedule_time ?? null,
        options,
        body.revision,
      ),
    }),
    cancelCampaign: async ({ tx, who, params }) => ({
      data: await sending.cancelCampaign(tx, who.accountId, params.id),
    }),
    pauseCampaign: async ({ tx, who, params }) => ({
      data: await sending.pauseCampaign(tx, who.accountId, params.id),
    }),
    resumeCampaign: async ({ tx, who, params }) => ({
      data: await sending.resumeCampaign(tx, who.accountId, params.id),
    }),
    retryCampaign: async ({ tx, who, params, body }) => ({
      data: { retried: await sending.retryCampaign(tx, who.accountId, params.id, body.which) },
    }),
    setResend: async ({ tx, who, params, body }) => ({
      data: await resends.setResend(tx, who.accountId, params.id, body.subject, body.hours),
    }),
    cancelResend: async ({ tx, who, params }) => ({
      data: await resends.cancelResend(tx, who.accountId, params.id),
    }),
    previewCampaign: async ({ tx, who, params, query }) => {
      const { subject, preheader, html, size } = await message.previewCampaign(
        tx,
        who.accountId,
        params.id,
        query.subscriber,
        options,
      );
      return { data: { subject, preheader, html, size } };
    },
    previewPlain: async ({ tx, who, params, query }) => {
      const { subject, preheader, text } = await message.previewCampaign(
        tx,
        who.accountId,
        params.id,
        query.subscriber,
        options,
      );
      return { data: { subject, preheader, text } };
    },
    previewDraft: async ({ tx, who, params, body }) => {
      const { document = null, inline_css = false, ...content } = contentOf(body);
      const draft = { ...content, document, inline_css };
      return {
        data: await message.previewDraft(
          tx,
          who.accountId,
          params.id,
          draft,
          body.subscriber,
          options,
        ),
      };
    },
    listPreviewPeople: async ({ tx, who, params, query }) => {
      await campaigns.campaignRow(tx, who.accountId, params.id);
      return { data: await message.listPreviewPeople(tx, who.accountId, query.search) };
    },
    checkCampaign: async ({ tx, who, params }) => {
      const row = await campaigns.campaignRow(tx, who.accountId, params.id);
      return { data: await message.checkCampaign(tx, row, options) };
    },
    checkLinks: async ({ db, who, params }) => ({
      data: await checkLinks(db, who.accountId, params.id, options),
    }),
    testCampaign: async ({ tx, who, params, body }) => {
      const { emails, subscriber } = body;
      const sent = await testCampaign(tx, who.accountId, params.id, emails, subscriber, options);
      return { data: { sent } };
    },
    listMergeTags: async ({ tx, who, params }) => {
      await campaigns.campaignRow(tx, who.accountId, params.id);
      const fields = await readFields(tx, who.accountId);
      const person = ['firstname', 'lastname', 'email', 'phone'];
      return {
        data: [
          ...person.map((name) => ({ name, title: name, kind: 'person' as const })),
          ...fields.map(({ name, title }) => ({ name, title, kind: 'field' as const })),
          ...SYSTEM_TAGS.map((name) => ({ name, title: name, kind: 'system' as const })),
        ],
      };
    },
  };
  return serve('campaigns', calls, handlers, limits);
}

/** Only what belongs to the editor that made it. */
function contentOf(body: {
  editor: ContentInput['kind'];
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
