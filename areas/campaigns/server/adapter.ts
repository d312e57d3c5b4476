// Email campaigns as a kind of broadcast: content composes the email, broadcasts handle recipients
// and sending.
import { markAccount } from '#areas/accounts/server/index.ts';
import type { BroadcastAdapter, OccurrenceChanges } from '#areas/broadcasts/server/index.ts';
import {
  ContentError,
  checkEmail,
  createContentError,
  type SendingOptions,
} from '#areas/content/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { CAMPAIGNS_PATH } from '../composing-contract.ts';
import type { Campaign } from '../contract.ts';
import { STEPS } from '../shared.ts';
import type { CampaignRow } from './campaigns.sql.ts';
import { copyCampaign } from './campaigns.ts';
import { campaignEmail, campaignSource, checkCampaign } from './email.ts';
import { presentCampaigns } from './present.ts';
import { recipientsAdapter } from './recipients.ts';
import { endResend, readResends, saveResend, startResend } from './resends.sql.ts';
import { campaignReview } from './review.ts';
import { createContentKey, withVariant } from './variants.ts';

export type CampaignAdapter = BroadcastAdapter<CampaignRow, Campaign>;

export function campaignAdapter(options: SendingOptions): CampaignAdapter {
  return {
    ...recipientsAdapter,
    area: 'campaigns',
    idKind: 'campaign',
    messageKind: 'campaign',
    base: CAMPAIGNS_PATH,
    steps: { all: STEPS, withRecipients: 'step4', withoutRecipients: 'step1' },
    buildMessage: async (tx, row) => ({
      accountId: row.account_id,
      kind: 'campaign',
      sourceId: row.id,
      source: await campaignSource(tx, row, options),
    }),
    withVariant,
    requireVariant: async (tx, row) => {
      const findings = await checkEmail(tx, campaignEmail(row), options);
      const errors = findings.filter((finding) => finding.severity === 'error');
      if (errors.length > 0) throw createContentError(errors);
    },
    contentKey: createContentKey,
    requireSendable: (tx, row) => requireSendable(tx, row, options),
    present: (db, rows) =>
      rows[0] ? presentCampaigns(db, rows[0].account_id, rows) : Promise.resolve([]),
    copy: copyForSeries,
    // A campaign that a user stopped gets no automatic resend.
    onCanceled: async (tx, { account_id, id }) => {
      await endResend(tx, account_id, id, { state: 'cancelled' }, clock.now());
    },
    // The first handoff also completes the onboarding step of sending an email.
    onFirstHandoff: async (tx, id, accountId, at) => {
      await markAccount(tx, accountId, 'email_sent_at');
      await startResend(tx, accountId, id, at);
    },
    onEndedEmpty: async (tx, id, accountId, at) => {
      const reason = 'no_recipients';
      await endResend(tx, accountId, id, { state: 'cancelled', reason }, at);
    },
    review: campaignReview(options),
    getName: ({ subject }) => subject,
    getErrorCode: (error) => {
      if (error instanceof ContentError) return 'content_invalid';
      return error instanceof AppError ? error.code : undefined;
    },
    isResolvableByUsers: (error) => error instanceof AppError || error instanceof ContentError,
  };
}

/** Creates an occurrence from its model, including the model's waiting resend. */
async function copyForSeries(
  tx: Tx,
  model: CampaignRow,
  changes: OccurrenceChanges,
): Promise<number> {
  const { account_id: accountId } = model;
  const id = await copyCampaign(tx, model, null, changes);
  const [resend] = await readResends(tx, accountId, [model.id]);
  if (resend?.state === 'waiting') {
    const { subject, delay_hours: hours } = resend;
    await saveResend(tx, accountId, id, { subject, hours, dueAt: null }, clock.now());
  }
  return id;
}

async function requireSendable(tx: Tx, row: CampaignRow, options: SendingOptions): Promise<void> {
  const findings = await checkCampaign(tx, row, options);
  const errors = findings.filter((finding) => finding.severity === 'error');
  if (errors.some((finding) => finding.code === 'recipients_none')) {
    throw new AppError('no_recipients', { extra: { findings: errors } });
  }
  if (errors.length > 0) throw createContentError(errors);
}
