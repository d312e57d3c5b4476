// Routes for campaigns in the public API.
import {
  cancel,
  countRecipients,
  schedule,
  setGroups,
  setSegments,
} from '#areas/broadcasts/server/index.ts';
import { readComposed, saveComposed, type SendingOptions } from '#areas/content/server/index.ts';
import { decodeId, encodeId } from '#platform/ids.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { invalid, notFound } from '#platform/server/errors.ts';
import { type Caller, type Route, createRoutes } from '#platform/server/http/serve.ts';
import { presentPage } from '#platform/server/http/v2.ts';
import { formatV2Time } from '#platform/v2-contract.ts';
import type { z } from 'zod';
import type { Campaign } from '../contract.ts';
import { type PublicCampaign, publicCalls } from '../public-contract.ts';
import * as campaigns from './campaigns.ts';
import { findCampaigns } from './campaigns.sql.ts';
import { campaignEmails, checkCampaign } from './email.ts';
import { type CampaignAdapter, campaignAdapter } from './adapter.ts';
import { presentCampaigns } from './present.ts';
import { cancelResend, setResend } from './resend.ts';

type NewCampaign = z.output<(typeof publicCalls)['createCampaign']['body']>;

const createSuccess = (message: string) => ({ success: true as const, message });

// oxlint-disable-next-line eslint/max-lines-per-function -- One flat table of routes.
export function publicCampaignRoutes(options: SendingOptions): Route[] {
  const adapter = campaignAdapter(options);
  return createRoutes(
    'campaigns',
    publicCalls,
    {
      listCampaigns: async ({ tx, caller, query: { list, status }, request }) => {
        // The product's status is SENT from the first email on.
        const listStatus = status === 'SENDING' ? 'SENT' : status;
        const isLeaving = listStatus === 'SENT' ? status === 'SENDING' : undefined;
        const listOptions = { list, status: listStatus, isLeaving };
        const page = await campaigns.listCampaigns(tx, caller.accountId, listOptions);
        return presentPage(request, page, (campaign) => present(campaign, null));
      },
      readCampaign: async ({ tx, caller, params }) => {
        const campaign = await campaigns.readCampaign(tx, caller.accountId, params.id);
        const html = await readContent(tx, caller.accountId, params.id, options);
        return withEstimate(tx, adapter, caller.accountId, present(campaign, html));
      },
      createCampaign: async ({ tx, caller, body }) => {
        const campaign = await create(tx, caller, body, options);
        const presented = present(campaign, body.content ?? null);
        const data = await withEstimate(tx, adapter, caller.accountId, presented);
        return { ...createSuccess('Campaign has been created'), data };
      },
      sendCampaign: async ({ tx, caller, params }) => {
        await schedule(tx, adapter, caller.accountId, params.id, null);
        return createSuccess('Campaign is being sent');
      },
      scheduleCampaign: async ({ tx, caller, params, body }) => {
        await schedule(tx, adapter, caller.accountId, params.id, body.schedule_time);
        return createSuccess('Campaign has been scheduled');
      },
      unscheduleCampaign: async ({ tx, caller, params }) => {
        await cancel(tx, adapter, caller.accountId, params.id);
        return createSuccess('Campaign is no longer scheduled');
      },
      cancelFollowUp: async ({ tx, caller, params }) => {
        await cancelResend(tx, caller.accountId, params.id);
        return createSuccess('Follow-up has been cancelled');
      },
      copyCampaign: async ({ tx, caller, params }) => {
        const copy = await campaigns.duplicateCampaign(tx, caller, params.id, undefined);
        return { ...createSuccess('Campaign has been copied'), data: present(copy, null) };
      },
      deleteCampaign: async ({ tx, caller, params }) => {
        await campaigns.deleteCampaign(tx, caller.accountId, params.id);
        return createSuccess('Campaign has been deleted');
      },
      deleteCampaigns: async ({ tx, caller, query, body }) => {
        const rawIds = [...query.ids, ...query['ids[]'], ...body.ids];
        const status = query.status ?? body.status;
        const title = query.title ?? body.title;
        const ids = await resolveCampaigns(tx, caller.accountId, new Set(rawIds), {
          status,
          title,
        });
        for (const id of ids) await campaigns.deleteCampaign(tx, caller.accountId, id);
        return createSuccess(`${ids.length} campaigns have been deleted`);
      },
      listErrors: async ({ tx, caller, params }) => {
        const row = await campaigns.getCampaignRow(tx, caller.accountId, params.id);
        const findings = await checkCampaign(tx, row, options);
        const listCodes = (items: typeof findings) => items.map(({ code }) => code);
        return {
          errors: listCodes(findings.filter(({ severity }) => severity === 'error')),
          warnings: listCodes(findings.filter(({ severity }) => severity !== 'error')),
        };
      },
    },
    {},
    'content',
  );
}

const MAX_DELETED_AT_ONCE = 100;
const PAGE_ROWS = 1000;

/** Returns those of the named campaigns, or of all campaigns for `all`, that match the filter. */
async function resolveCampaigns(
  db: Reader,
  accountId: number,
  references: ReadonlySet<string>,
  filter: { status: string | undefined; title: string | undefined },
): Promise<number[]> {
  if (references.size === 0) throw invalid({ ids: ['errors.fields.required'] });
  const isAll = references.has('all');
  if (isAll && filter.status === undefined && filter.title === undefined)
    throw invalid({ ids: ['errors.fields.choice'] });
  if (!isAll && references.size > MAX_DELETED_AT_ONCE)
    throw invalid({ ids: [`errors.fields.many?max=${MAX_DELETED_AT_ONCE}`] });
  const ids = [...references].filter((id) => id !== 'all').map((id) => decodeId('campaign', id));
  const matches = (campaign: Campaign) =>
    (filter.status === undefined || DELETED_STATUS[filter.status] === toStatus(campaign)) &&
    (filter.title === undefined || campaign.title.toLowerCase() === filter.title.toLowerCase());
  if (isAll) {
    const matchingCampaigns: Campaign[] = [];
    for (let page = 1; ; page++) {
      const { data } = await campaigns.listCampaigns(db, accountId, {
        list: {
          ...{ page, perPage: PAGE_ROWS, isUnpaginated: false, search: filter.title },
          ...{ order: 'created' as const, direction: 'desc' as const },
        },
      });
      matchingCampaigns.push(...data.filter(matches));
      if (data.length < PAGE_ROWS) break;
    }
    return matchingCampaigns.map(({ id }) => decodeId('campaign', id) as number);
  }
  const campaignIds: number[] = [];
  for (const id of ids) {
    if (id === undefined) throw notFound();
    if (matches(await campaigns.readCampaign(db, accountId, id))) campaignIds.push(id);
  }
  return campaignIds;
}

/** Maps the older API's states to the product's. */
const DELETED_STATUS: Record<string, PublicCampaign['status']> = {
  ...{ DRAFT: 'DRAFT', SCHEDULED: 'SCHEDULED', SENDING: 'SENDING', SENT: 'SENT' },
  ...{ PENDING: 'SCHEDULED', PREPARING: 'SENDING' },
};

async function create(
  tx: Tx,
  caller: Caller,
  body: NewCampaign,
  options: SendingOptions,
): Promise<Campaign> {
  const { accountId } = caller;
  const { title = body.subject, subject, preheader, from, reply_to: email } = body;
  const campaign = await campaigns.createCampaign(tx, caller, {
    title,
    subject,
    preheader,
    from_name: from,
    from_email: email,
    reply_to: email,
    utm_campaign: body.google_analytics ? '' : null,
  });
  const id = decodeId('campaign', campaign.id) as number;
  if (body.content !== undefined && body.content_type !== 'editor') {
    const content =
      body.content_type === 'html'
        ? ({ kind: 'html', html: body.content, plain_text: null } as const)
        : ({ kind: 'text', html: null, plain_text: body.content } as const);
    const save = { revision: campaign.revision, content, maySwitchEditor: true };
    await saveComposed(tx, campaignEmails(options), caller, id, save);
  }
  const adapter = campaignAdapter(options);
  const choice = { id, isExcluded: false };
  if (body.groups?.length) await setGroups(tx, adapter, accountId, choice, body.groups);
  if (body.segments?.length) await setSegments(tx, adapter, accountId, choice, body.segments);
  if (body.auto_followup_active) {
    const subjectText = body.auto_followup_subject || subject;
    await setResend(tx, accountId, id, subjectText, body.auto_followup_delay ?? 24);
  }
  return campaigns.readCampaign(tx, accountId, id);
}

async function readContent(db: Reader, accountId: number, id: number, options: SendingOptions) {
  const email = await campaignEmails(options).find(db, accountId, id);
  const { html, plain_text } = await readComposed(db, email);
  return html ?? plain_text;
}

function toStatus({ status, delivery }: Campaign): PublicCampaign['status'] {
  const isLeaving = delivery !== null && !['finished', 'cancelled'].includes(delivery.state);
  return status === 'SENT' && isLeaving ? 'SENDING' : status;
}

const toFlag = (value: boolean): 0 | 1 => (value ? 1 : 0);

/** Returns campaigns by ID, in the public API's format. */
export async function readPublicCampaigns(
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<Map<number, PublicCampaign>> {
  const rows = await findCampaigns(db, accountId, ids);
  const presented = await presentCampaigns(db, accountId, rows);
  return new Map(
    presented.map(
      (campaign) => [decodeId('campaign', campaign.id) as number, present(campaign, null)] as const,
    ),
  );
}

/** For a campaign that has not started, counts the subscribers who would get it now. */
async function withEstimate(
  db: Reader,
  adapter: CampaignAdapter,
  accountId: number,
  campaign: PublicCampaign,
): Promise<PublicCampaign> {
  if (campaign.status !== 'DRAFT' && campaign.status !== 'SCHEDULED') return campaign;
  const id = decodeId('campaign', campaign.id) as number;
  const { count } = await countRecipients(db, adapter, accountId, id);
  return { ...campaign, recipient_count: count };
}

function present(campaign: Campaign, html: string | null): PublicCampaign {
  return {
    id: campaign.id,
    subject: campaign.experiment?.subject ?? campaign.subject,
    reply_to: campaign.reply_to || campaign.from_email,
    language: campaign.language,
    recipient_count: campaign.delivery?.audience ?? 0,
    from: campaign.from_name,
    schedule_time: campaign.schedule_time,
    last_action: campaign.last_action,
    sent_time: campaign.sent_at && formatV2Time(campaign.sent_at),
    status: toStatus(campaign),
    created: formatV2Time(campaign.created),
    modified: formatV2Time(campaign.modified),
    title: campaign.title,
    domain_id: null,
    preheader: campaign.preheader,
    ...presentFollowUp(campaign),
    send_to_all: toFlag(campaign.send_to_all),
    campaign_groups: campaign.tags.map((group) => group.id),
    segments: campaign.filters.map((segment) => segment.id),
    ecommerce_tracking_enabled: 0,
    experiment_id: campaign.experiment
      ? encodeId('experiment', decodeId('campaign', campaign.id) as number)
      : null,
    ...presentFigures(campaign),
    editor: campaign.editor,
    html: {
      id: campaign.editor === null ? null : campaign.id,
      thumbnail_url: campaign.thumbnail_url,
      has_preview: campaign.editor !== null,
      has_snapshots: false,
      html_content: html,
    },
  };
}

function presentFollowUp({ resend }: Campaign) {
  const isResending = resend !== null && ['waiting', 'started'].includes(resend.state);
  return {
    auto_followup_active: toFlag(isResending),
    auto_followup_subject: resend?.subject ?? null,
    auto_followup_delay: resend?.hours ?? null,
  };
}

function presentFigures({ figures }: Campaign) {
  if (!figures) return { sent_count: 0, opens: 0, clicks: 0, bounces_count: 0 };
  return {
    sent_count: figures.sent,
    opens: figures.human_opens,
    clicks: figures.human_clicks,
    bounces_count: figures.hard_bounces + figures.soft_bounces,
  };
}
