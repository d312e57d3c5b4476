// Campaigns: listing, creation, changes, deletion, restoring and duplication.
import { markAccount } from '#areas/accounts/server/index.ts';
import {
  getBroadcastRow,
  toStepChange,
  checkRevision,
  continueSeries,
  copyChosen,
  copyExperiment,
  dropPassedSchedule,
  insertRow,
  listBroadcasts,
  lockBroadcast,
  requireEditable,
  undeleteRow,
  updateRow,
} from '#areas/broadcasts/server/index.ts';
import { type ContentRef, copyContent, readUtmDefaults } from '#areas/content/server/index.ts';
import type { UtmOverride } from '#areas/content/utm-contract.ts';
import type { PlaceFilter } from '#areas/folders/server/index.ts';
import type { ListRequest } from '#platform/contract.ts';
import { cutText } from '#platform/server/clean-text.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, invalid, notFound } from '#platform/server/errors.ts';
import type { Actor } from '#platform/server/http/serve.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import type { Campaign } from '../contract.ts';
import { type CampaignStatus, STEPS, type CampaignStep, MAX_TITLE_LENGTH } from '../shared.ts';
import * as store from './campaigns.sql.ts';
import { campaignCreated } from './events.ts';
import { presentCampaigns, presentOne } from './present.ts';
import { copyVariant } from './variants.ts';

export type CampaignSettings = {
  title?: string | undefined;
  subject?: string | undefined;
  preheader?: string | undefined;
  from_name?: string | undefined;
  from_email?: string | undefined;
  reply_to?: string | undefined;
  language?: string | null | undefined;
  utm_campaign?: string | null | undefined;
  utm?: UtmOverride | undefined;
};

const CAMPAIGN_TABLES = { tables: store.TABLES };
const EXPERIMENTS = { broadcast: CAMPAIGN_TABLES, copyVariant };
const LISTED = { ...CAMPAIGN_TABLES, searchColumn: 'subject', kind: 'campaign' } as const;

export const listCampaigns = (
  db: Reader,
  accountId: number,
  query: {
    list: ListRequest<'created' | 'title' | 'modified' | 'sent' | 'scheduled'>;
    status?: CampaignStatus | undefined;
    isLeaving?: boolean | undefined;
    place?: PlaceFilter | undefined;
  },
) =>
  listBroadcasts<store.CampaignRow, Campaign>(db, LISTED, accountId, query, (rows) =>
    presentCampaigns(db, accountId, rows),
  );

export async function readCampaign(db: Reader, accountId: number, id: number): Promise<Campaign> {
  return presentOne(db, accountId, await getCampaignRow(db, accountId, id));
}

/** @throws `not_found` if it is unknown or belongs to another account */
export const getCampaignRow = (db: Reader, accountId: number, id: number) =>
  getBroadcastRow<store.CampaignRow>(db, CAMPAIGN_TABLES, accountId, id);

export async function createCampaign(
  tx: Tx,
  caller: Actor,
  settings: CampaignSettings,
): Promise<Campaign> {
  const title = settings.title || settings.subject || '';
  if (title === '') throw invalid({ title: ['errors.fields.required'] });
  const id = await insertRow(
    tx,
    CAMPAIGN_TABLES,
    caller.accountId,
    {
      ...toColumns(settings),
      ...(settings.utm_campaign === undefined && (await readDefaultUtm(tx, caller.accountId))),
      title,
      last_action: isSettled(settings) ? 'editor' : 'step1',
    },
    clock.now(),
  );
  await markAccount(tx, caller.accountId, 'campaign_created_at');
  await campaignCreated.announce(tx, { accountId: caller.accountId, campaignId: id });
  return readCampaign(tx, caller.accountId, id);
}

/** Updates a campaign. The title may change at any time, all other fields only in a draft. */
export async function updateCampaign(
  tx: Tx,
  caller: Actor,
  id: number,
  revision: number | undefined,
  settings: CampaignSettings,
): Promise<Campaign> {
  const row = await lockCampaignRow(tx, caller.accountId, id);
  checkRevision(row, revision);
  const { title, ...rest } = settings;
  if (Object.keys(rest).length > 0) await requireEditable(tx, CAMPAIGN_TABLES, row);
  if (title === '') throw invalid({ title: ['errors.fields.required'] });
  const isReady = row.status === 'DRAFT' && isSettled({ ...row, ...settings });
  await updateRow(tx, CAMPAIGN_TABLES, caller.accountId, id, {
    ...toColumns(settings),
    ...changeColumns(row, isReady ? 'editor' : 'step1'),
  });
  sendChangeHint(tx, caller.accountId, 'campaign', id);
  return readCampaign(tx, caller.accountId, id);
}

export async function deleteCampaign(tx: Tx, accountId: number, id: number): Promise<void> {
  const row = await lockCampaignRow(tx, accountId, id);
  const campaign = await presentOne(tx, accountId, row);
  const state = campaign.delivery?.state;
  if (state !== undefined && state !== 'finished' && state !== 'cancelled') {
    throw new AppError('campaign_sending');
  }
  await updateRow(tx, CAMPAIGN_TABLES, accountId, id, { deleted_at: clock.now() });
}

/** Restores a campaign. A schedule that has passed is dropped so that restoring sends no email. */
export async function restoreCampaign(tx: Tx, accountId: number, id: number): Promise<Campaign> {
  if (!(await undeleteRow(tx, CAMPAIGN_TABLES, accountId, id, clock.now()))) throw notFound();
  const row = await lockCampaignRow(tx, accountId, id);
  await dropPassedSchedule(tx, CAMPAIGN_TABLES, row);
  await continueSeries(tx, CAMPAIGN_TABLES, row);
  return readCampaign(tx, accountId, id);
}

export async function duplicateCampaign(
  tx: Tx,
  caller: Actor,
  id: number,
  title: string | undefined,
): Promise<Campaign> {
  const row = await getCampaignRow(tx, caller.accountId, id);
  const copyId = await copyCampaign(tx, row, caller.userId, title ? { title } : {});
  return readCampaign(tx, caller.accountId, copyId);
}

/** Creates a draft with the same settings, content and recipients, except for `changes`. */
export async function copyCampaign(
  tx: Tx,
  row: store.CampaignRow,
  userId: number | null,
  changes: store.CampaignChanges,
): Promise<number> {
  const accountId = row.account_id;
  const ref = toContentRef(row);
  const copy = ref && (await copyContent(tx, accountId, ref, userId));
  const copyId = await insertRow(
    tx,
    CAMPAIGN_TABLES,
    accountId,
    {
      title: cutText(row.title, MAX_TITLE_LENGTH),
      subject: row.subject,
      preheader: row.preheader,
      from_name: row.from_name,
      from_email: row.from_email,
      reply_to: row.reply_to,
      language: row.language,
      utm_campaign: row.utm_campaign,
      utm: JSON.stringify(row.utm),
      last_action: row.last_action,
      send_to_all: row.send_to_all,
      content_id: copy?.content_id ?? null,
      content_revision: copy?.revision ?? null,
      content_kind: row.content_kind,
      // A resend has no schedule: it starts as soon as it is due.
      timing: changes.resend_of === undefined ? JSON.stringify(row.timing) : null,
      ...changes,
    },
    clock.now(),
  );
  await copyChosen(tx, store.TABLES, accountId, row.id, copyId);
  if (changes.resend_of === undefined) {
    await copyExperiment(tx, EXPERIMENTS, accountId, row.id, { id: copyId, userId });
  }
  await campaignCreated.announce(tx, { accountId, campaignId: copyId });
  return copyId;
}

export function toContentRef(row: store.CampaignRow): ContentRef | undefined {
  if (row.content_id === null || row.content_revision === null) return undefined;
  return { content_id: row.content_id, revision: row.content_revision };
}

export const lockCampaignRow = (tx: Tx, accountId: number, id: number) =>
  lockBroadcast<store.CampaignRow>(tx, CAMPAIGN_TABLES, accountId, id);

/** `last_action` is the step to continue with: it only moves forward. */
export const changeColumns = (row: store.CampaignRow, step: CampaignStep) =>
  toStepChange(row, STEPS, step);

/** JSON columns are written as text. */
const toColumns = ({ utm, ...settings }: CampaignSettings) => ({
  ...settings,
  ...(utm && { utm: JSON.stringify(utm) }),
});

/** Returns the UTM parameters of a new campaign if the account adds them by default. */
async function readDefaultUtm(db: Reader, accountId: number) {
  return (await readUtmDefaults(db, accountId)).is_on ? { utm_campaign: '' } : {};
}

function isSettled(settings: CampaignSettings): boolean {
  return Boolean(settings.subject?.trim() && settings.from_email?.trim());
}
