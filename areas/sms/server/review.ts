// Shows an SMS campaign to users who decide about the approval of its sending.
import type { ComparedOutline, OutlineLine } from '#areas/approvals/server/index.ts';
import {
  type BroadcastReview,
  findLastSent,
  findVariants,
} from '#areas/broadcasts/server/index.ts';
import { listHosts, extractLinks } from '#areas/content/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { checkSms } from './checks.ts';
import type { SmsSendingOptions } from './adapter.ts';
import { findPhone } from './phones.sql.ts';
import { type SmsRow, TABLES } from './sms.sql.ts';
import type { SmsVariant } from './variants.ts';

export function smsReview(sending: SmsSendingOptions): BroadcastReview<SmsRow> {
  return {
    readState: async (db, row) => {
      const { append_opt_out: optOut, add_organization_name: prefix, phone_id: phone } = row;
      return [await listTexts(db, row), optOut, prefix, phone, row.google_analytics, row.utm];
    },
    buildApprovalFacts: async (tx, row, recipients) => {
      const withoutConsent = recipients.excluded.find(({ reason }) => reason === 'non_subscribed');
      const audienceCounts = {
        count: recipients.count,
        withoutConsent: withoutConsent?.count ?? 0,
      };
      const { findings, cost } = await checkSms(tx, row, sending, audienceCounts);
      return {
        path: `/sms/${encodeId('sms', row.id)}/confirm`,
        findings,
        ...(await listLines(tx, row, sending)),
        previews: [],
        cost: cost && { micros: cost.micros, currency: cost.currency },
      };
    },
    readPreviousOutline: async (tx, row): Promise<ComparedOutline | undefined> => {
      const lastSent = await findLastSent<SmsRow>(tx, { tables: TABLES }, row.account_id, row.id);
      return lastSent && { comparedWith: 'sent', ...(await listLines(tx, lastSent, sending)) };
    },
  };
}

/** Returns the text of the campaign, or the texts of all variants. */
async function listTexts(db: Reader, row: SmsRow): Promise<string[]> {
  const variants = await findVariants<SmsVariant>(db, TABLES, row.account_id, [row.id]);
  return variants.length === 0 ? [row.text] : variants.map(({ text }) => text ?? row.text);
}

async function listLines(
  tx: Tx,
  row: SmsRow,
  { publicUrl }: SmsSendingOptions,
): Promise<{ outline: OutlineLine[]; hosts: string[] }> {
  const smsTexts = await listTexts(tx, row);
  const phone =
    row.phone_id === null ? undefined : await findPhone(tx, row.account_id, row.phone_id);
  const lines = smsTexts.flatMap((text) => text.split('\n')).filter((line) => line.trim() !== '');
  return {
    outline: [
      ...(phone ? [{ part: 'from' as const, text: phone.value }] : []),
      ...lines.map((text) => ({ part: 'text' as const, text })),
    ],
    hosts: listHosts(smsTexts.flatMap(extractLinks), new URL(publicUrl).host),
  };
}
