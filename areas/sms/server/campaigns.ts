// Lists, creates, reads, updates, deletes, restores and duplicates SMS campaigns.
import { readMember, readRights } from '#areas/accounts/server/index.ts';
import {
  getBroadcastRow,
  toStepChange,
  checkRevision,
  continueSeries,
  copyChosen,
  copyExperiment,
  dropPassedSchedule,
  findExperiments,
  findVariants,
  insertExperiment,
  insertRow,
  listBroadcasts,
  lockBroadcast,
  requireEditable,
  undeleteRow,
  updateRow,
} from '#areas/broadcasts/server/index.ts';
import type { UtmValues } from '#areas/content/utm.ts';
import type { PlaceFilter } from '#areas/folders/server/index.ts';
import type { ListRequest } from '#platform/contract.ts';
import { encodeId } from '#platform/ids.ts';
import { cutText } from '#platform/server/clean-text.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, invalid, notFound } from '#platform/server/errors.ts';
import { requireRight } from '#platform/server/http/rights.ts';
import type { Actor } from '#platform/server/http/serve.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import type { SmsCampaign } from '../contract.ts';
import { type SmsFlag, STEPS, type SmsStatus, type SmsStep, MAX_TITLE_LENGTH } from '../shared.ts';
import { findAnyPhone, findPhone } from './phones.sql.ts';
import { presentOne, presentSms } from './present.ts';
import * as store from './sms.sql.ts';
import type { SmsVariant } from './variants.ts';

const OWN_TABLES = { tables: store.TABLES };
const EXPERIMENTS = {
  broadcast: OWN_TABLES,
  copyVariant: async (_tx: Tx, _accountId: number, _userId: number | null, variant: object) => ({
    text: (variant as SmsVariant).text,
  }),
};
const LISTED = { ...OWN_TABLES, searchColumn: 'text', kind: 'sms' } as const;

export type SmsCampaignSettings = {
  title?: string | undefined;
  text?: string | undefined;
  phone_id?: number | null | undefined;
  add_organization_name?: SmsFlag | undefined;
  append_opt_out?: SmsFlag | undefined;
  google_analytics?: SmsFlag | undefined;
  utm?: UtmValues | undefined;
};

export const listSmsCampaigns = (
  db: Reader,
  accountId: number,
  query: {
    list: ListRequest<'created' | 'title' | 'modified' | 'sent' | 'scheduled'>;
    status?: SmsStatus | undefined;
    place?: PlaceFilter | undefined;
  },
) =>
  listBroadcasts<store.SmsRow, SmsCampaign>(db, LISTED, accountId, query, (rows) =>
    presentSms(db, accountId, rows),
  );

export const getSmsRow = (db: Reader, accountId: number, id: number) =>
  getBroadcastRow<store.SmsRow>(db, OWN_TABLES, accountId, id);

export const lockSms = (tx: Tx, accountId: number, id: number) =>
  lockBroadcast<store.SmsRow>(tx, OWN_TABLES, accountId, id);

export async function readSmsCampaign(
  db: Reader,
  accountId: number,
  id: number,
): Promise<SmsCampaign> {
  return presentOne(db, accountId, await getSmsRow(db, accountId, id));
}

export async function createSmsCampaign(
  tx: Tx,
  accountId: number,
  settings: SmsCampaignSettings,
): Promise<SmsCampaign> {
  const title = settings.title?.trim() ?? '';
  if (title === '') throw invalid({ title: ['errors.fields.required'] });
  const changes = await toColumns(tx, accountId, settings);
  const step: SmsStep = isSettled({ text: '', phone_id: null, ...changes }) ? 'step3' : 'step1';
  const id = await insertRow(
    tx,
    OWN_TABLES,
    accountId,
    { ...changes, title, last_action: step },
    clock.now(),
  );
  return readSmsCampaign(tx, accountId, id);
}

/** Updates a campaign. The title can change at any time, everything else only in a draft. */
export async function updateSmsCampaign(
  tx: Tx,
  accountId: number,
  id: number,
  revision: number | undefined,
  settings: SmsCampaignSettings,
): Promise<SmsCampaign> {
  const row = await lockSms(tx, accountId, id);
  checkRevision(row, revision);
  const { title, ...rest } = settings;
  if (Object.keys(rest).length > 0) await requireEditable(tx, OWN_TABLES, row);
  if (title !== undefined && title.trim() === '') {
    throw invalid({ title: ['errors.fields.required'] });
  }
  const changes = await toColumns(tx, accountId, settings);
  const isReady = row.status === 'DRAFT' && isSettled({ ...row, ...changes });
  await updateRow(tx, OWN_TABLES, accountId, id, {
    ...changes,
    ...toStepChange(row, STEPS, isReady ? 'step3' : 'step1'),
  });
  sendChangeHint(tx, accountId, 'sms', id);
  return readSmsCampaign(tx, accountId, id);
}

export async function deleteSmsCampaign(tx: Tx, accountId: number, id: number): Promise<void> {
  const campaign = await presentOne(tx, accountId, await lockSms(tx, accountId, id));
  const state = campaign.delivery?.state;
  if (state !== undefined && state !== 'finished' && state !== 'cancelled') {
    throw new AppError('campaign_sending');
  }
  await updateRow(tx, OWN_TABLES, accountId, id, { deleted_at: clock.now() });
}

export async function restoreSmsCampaign(
  tx: Tx,
  accountId: number,
  id: number,
): Promise<SmsCampaign> {
  if (!(await undeleteRow(tx, OWN_TABLES, accountId, id, clock.now()))) throw notFound();
  const row = await lockSms(tx, accountId, id);
  await dropPassedSchedule(tx, OWN_TABLES, row);
  await continueSeries(tx, OWN_TABLES, row);
  return readSmsCampaign(tx, accountId, id);
}

export async function duplicateSmsCampaign(
  tx: Tx,
  accountId: number,
  id: number,
  title: string | undefined,
): Promise<SmsCampaign> {
  const row = await getSmsRow(tx, accountId, id);
  return readSmsCampaign(tx, accountId, await copySms(tx, row, title ? { title } : {}));
}

/**
 * Copies a campaign, its recipients and its experiment to a new draft, with `changes`. A sender
 * that was released is not copied.
 */
export async function copySms(
  tx: Tx,
  row: store.SmsRow,
  { title, ...changes }: store.SmsChanges,
): Promise<number> {
  const accountId = row.account_id;
  const phone = row.phone_id === null ? undefined : await findPhone(tx, accountId, row.phone_id);
  const copy = await insertRow(
    tx,
    OWN_TABLES,
    accountId,
    {
      title: cutText(title || row.title, MAX_TITLE_LENGTH),
      text: row.text,
      sender: phone?.value ?? '',
      phone_id: phone?.id ?? null,
      last_action: phone ? row.last_action : 'step1',
      add_organization_name: row.add_organization_name,
      append_opt_out: row.append_opt_out,
      send_to_all: row.send_to_all,
      google_analytics: row.google_analytics,
      utm: JSON.stringify(row.utm),
      timing: JSON.stringify(row.timing),
      ...changes,
    },
    clock.now(),
  );
  await copyChosen(tx, store.TABLES, accountId, row.id, copy);
  await copyExperiment(tx, EXPERIMENTS, accountId, row.id, { id: copy, userId: null });
  return copy;
}

/**
 * Copies a campaign without sender and recipients, which belong to the account, to another account.
 */
export async function copySmsToAccount(
  tx: Tx,
  caller: Actor,
  id: number,
  target: number,
): Promise<{ id: string }> {
  const row = await getSmsRow(tx, caller.accountId, id);
  const isOwn = target !== caller.accountId && (await readMember(tx, target, caller.userId));
  if (!isOwn) throw invalid({ account: ['errors.unknown_id'] });
  const rights = await readRights(tx, { accountId: target, userId: caller.userId });
  requireRight({ rights }, 'drafts');
  const { title, text, add_organization_name, append_opt_out, google_analytics } = row;
  const copy = await insertRow(
    tx,
    OWN_TABLES,
    target,
    { title, text, add_organization_name, append_opt_out, google_analytics, last_action: 'step1' },
    clock.now(),
  );
  const [experiment] = await findExperiments(tx, store.TABLES, caller.accountId, [id]);
  if (experiment) {
    const variants = await findVariants<SmsVariant>(tx, store.TABLES, caller.accountId, [id]);
    const rows = variants.map((variant) => ({
      ...{ number: variant.number, text: variant.text, delay_minutes: variant.delay_minutes },
    }));
    await insertExperiment(tx, store.TABLES, { accountId: target, id: copy }, experiment, rows);
  }
  return { id: encodeId('sms', copy) };
}

const isTrue = (flag: SmsFlag | undefined) => (flag === undefined ? undefined : flag === 'TRUE');

/**
 * Converts settings to columns. The sender is also stored as text because reports show it after the
 * number was released.
 */
async function toColumns(
  tx: Tx,
  accountId: number,
  settings: SmsCampaignSettings,
): Promise<store.SmsChanges> {
  const { title, text, phone_id: phoneId } = settings;
  const existingPhone = phoneId == null ? undefined : await findAnyPhone(tx, accountId, phoneId);
  if (phoneId != null && !existingPhone) throw invalid({ phone_id: ['errors.unknown_id'] });
  // Settings are saved during editing; a sender that has since been released must not make this
  // fail.
  const phone = existingPhone?.status === 'released' ? undefined : existingPhone;
  return {
    ...(title === undefined ? {} : { title: title.trim() }),
    ...(text === undefined ? {} : { text }),
    ...(phoneId === undefined ? {} : { phone_id: phone?.id ?? null, sender: phone?.value ?? '' }),
    ...(settings.utm && { utm: JSON.stringify(settings.utm) }),
    ...omitUndefined({
      add_organization_name: isTrue(settings.add_organization_name),
      append_opt_out: isTrue(settings.append_opt_out),
      google_analytics: isTrue(settings.google_analytics),
    }),
  };
}

const omitUndefined = (flags: Record<string, boolean | undefined>) =>
  Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));

function isSettled(row: { text?: unknown; phone_id?: unknown }): boolean {
  return typeof row.text === 'string' && row.text.trim() !== '' && row.phone_id != null;
}
