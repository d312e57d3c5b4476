// Defines SMS campaigns as a kind of broadcast: how they are frozen, checked and presented.
import { type BroadcastAdapter, readRecipientChoices } from '#areas/broadcasts/server/index.ts';
import { pricesFor } from '#areas/delivery/server/ledger/index.ts';
import { encodeId } from '#platform/ids.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { SMS_CAMPAIGNS_PATH } from '../campaign-contract.ts';
import type { SmsCampaign } from '../contract.ts';
import { type PhoneKind, STEPS } from '../shared.ts';
import { copySms } from './campaigns.ts';
import type { FrozenSmsText } from './channel.ts';
import { checkSms } from './checks.ts';
import { createSmsSource, previewSms, resolveSmsUtm, toDraft } from './message-text.ts';
import { maySendFrom } from './phone-owners.ts';
import { findPhone } from './phones.sql.ts';
import { presentSms } from './present.ts';
import { smsReview } from './review.ts';
import { readSmsTexts } from './settings.ts';
import { type SmsRow, TABLES } from './sms.sql.ts';
import type { SmsVariant } from './variants.ts';

const SMS_TABLES = { tables: TABLES };

export type SmsAdapter = BroadcastAdapter<SmsRow, SmsCampaign>;

export type SmsSendingOptions = {
  publicUrl: string;
  /** Whether the installation has a provider; accounts may have their own. */
  hasProvider: boolean;
};

export function smsAdapter(sending: SmsSendingOptions): SmsAdapter {
  return {
    ...SMS_TABLES,
    area: 'sms',
    idKind: 'sms',
    messageKind: 'sms_campaign',
    base: SMS_CAMPAIGNS_PATH,
    steps: { all: STEPS, withRecipients: 'step4', withoutRecipients: 'step1' },
    buildMessage: async (tx, row) => ({
      accountId: row.account_id,
      kind: 'sms_campaign',
      sourceId: row.id,
      text: await freezeSms(tx, row, sending.publicUrl),
      maxParts: await readMaxParts(tx, row, sending.publicUrl),
    }),
    withVariant: (row, { text }: SmsVariant) => ({ ...row, text: text ?? row.text }),
    requireVariant: (tx, row) => requireSendableSms(tx, row, sending),
    contentKey: async (_db, { text }) => text,
    requireSendable: (tx, row) => requireSendableSms(tx, row, sending),
    present: (db, rows) =>
      rows[0] ? presentSms(db, rows[0].account_id, rows) : Promise.resolve([]),
    copy: copySms,
    review: smsReview(sending),
    getName: ({ title }) => title,
    getErrorCode: (error) => (error instanceof AppError ? error.code : undefined),
    isResolvableByUsers: (error) => error instanceof AppError,
  };
}

async function requireSendableSms(tx: Tx, row: SmsRow, sending: SmsSendingOptions): Promise<void> {
  const { findings } = await checkSms(tx, row, sending);
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (errors.some(({ code }) => code === 'recipients_none')) {
    throw new AppError('no_recipients', { extra: { findings: errors } });
  }
  if (errors.length === 1 && errors[0]?.code === 'not_enough_credit') {
    throw new AppError('not_enough_credit', { extra: { findings: errors } });
  }
  if (errors.length > 0) throw new AppError('content_invalid', { extra: { findings: errors } });
}

/**
 * Returns the number of parts of the longest copy, which sets the credit reserved per recipient; 0
 * if SMS are free for the account.
 */
async function readMaxParts(tx: Tx, row: SmsRow, publicUrl: string): Promise<number> {
  const { account_id: accountId } = row;
  if (!(await pricesFor(tx, accountId))) return 0;
  const { words: source } = await freezeSms(tx, row, publicUrl);
  return (await previewSms(tx, accountId, source, undefined, publicUrl)).worst.parts;
}

export async function freezeSms(tx: Tx, row: SmsRow, publicUrl: string): Promise<FrozenSmsText> {
  const phone =
    row.phone_id === null ? undefined : await findPhone(tx, row.account_id, row.phone_id);
  if (!phone || !(await maySendFrom(tx, row.account_id, phone))) {
    throw new AppError('content_invalid');
  }
  const smsTexts = await readSmsTexts(tx, row.account_id);
  const phoneKind = phone.kind as PhoneKind;
  const draft = toDraft(row);
  const groups = (await readRecipientChoices(tx, SMS_TABLES, row.account_id, [row.id]))(
    row.id,
  ).tags;
  const utmFacts = {
    title: row.title,
    id: encodeId('sms', row.id),
    groups: groups.map(({ title }) => title),
    at: row.scheduled_at,
  };
  return {
    from: phone.value,
    title: row.text,
    isName: phoneKind === 'alphanumeric',
    kind: phoneKind,
    publicUrl,
    words: createSmsSource(
      draft,
      smsTexts,
      phoneKind,
      await resolveSmsUtm(tx, row.account_id, draft, utmFacts),
    ),
  };
}
