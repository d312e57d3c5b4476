// Experiments of SMS campaigns, whose variants differ in text or send time. SMS have no opens, so
// the metrics are clicks, buyers and revenue.
import type { z } from 'zod';
import {
  type ExperimentAdapter,
  findExperiments,
  findRow,
  findVariants,
  listNewestMessages,
  readBroadcasts,
} from '#areas/broadcasts/server/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { encodeId } from '#platform/ids.ts';
import type { SmsExperimentInput } from '../experiment-contract.ts';
import { type SmsSendingOptions, smsAdapter } from './adapter.ts';
import { type SmsRow, TABLES } from './sms.sql.ts';
import type { SmsVariant } from './variants.ts';

type Input = z.output<typeof SmsExperimentInput>['variants'][number];

/**
 * Rates assumed for planning. The click rate is used if the newest campaigns have no clicks, and
 * the rate of buyers always.
 */
const DEFAULT_RATES = { clicks: 0.02, buyers: 0.002 };
const MAX_NEWEST = 20;

export function smsExperiments(
  sending: SmsSendingOptions,
): ExperimentAdapter<SmsRow, SmsVariant, Input> {
  return {
    broadcast: smsAdapter(sending),
    experimentKind: 'sms_experiment',
    metrics: ['clicks', 'buyers', 'revenue'],
    getVariantId: ({ id }) => id ?? undefined,
    changesMessage: ({ text }) => text != null,
    buildColumns: async (_tx, _who, _row, { text }) => ({ text: text ?? null }),
    copyVariant: async (_tx, _accountId, _userId, { text }) => ({ text }),
    presentFields: (_row, { id, number, text }) => ({
      id: number === 1 ? null : encodeId('sms_variant', id),
      text,
    }),
    estimateRate: async (db, accountId, metric) =>
      metric === 'clicks'
        ? (await computeClickRate(db, accountId)) || DEFAULT_RATES.clicks
        : DEFAULT_RATES.buyers,
  };
}

/** Returns the click rate of the newest campaigns. */
async function computeClickRate(db: Reader, accountId: number): Promise<number> {
  const leads = await listNewestMessages(db, TABLES, accountId, MAX_NEWEST);
  let acceptedCount = 0;
  let clicks = 0;
  for (const { delivery, engagement } of (await readBroadcasts(db, accountId, leads)).values()) {
    acceptedCount += delivery.counts.accepted;
    clicks += engagement?.unique_human_clicks ?? 0;
  }
  return acceptedCount === 0 ? 0 : clicks / acceptedCount;
}

/** Reads the decision of an experiment for webhooks; `text` is sent to the remaining recipients. */
export async function readSmsDecision(db: Reader, accountId: number, id: number) {
  const row = await findRow<SmsRow>(db, { tables: TABLES }, accountId, id);
  const [experiment] = await findExperiments(db, TABLES, accountId, [id]);
  if (!row || !experiment) return {};
  const variants = await findVariants<SmsVariant>(db, TABLES, accountId, [id]);
  const { outcome, winner, chosen } = experiment;
  const text = variants.find(({ number }) => number === chosen)?.text ?? row.text;
  return {
    sms_campaign: { id: encodeId('sms', id), title: row.title, text },
    experiment: { id: encodeId('sms_experiment', id), outcome, winner, chosen },
  };
}
