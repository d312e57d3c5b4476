// Approval of a resend: what a request shows, and which changes of the campaign make it outdated.
import { type ApprovalFacts, type ApprovalKind, hashState } from '#areas/approvals/server/index.ts';
import type { SendingOptions } from '#areas/content/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { CAMPAIGNS_PATH } from '../composing-contract.ts';
import { getCampaignRow, lockCampaignRow } from './campaigns.ts';
import { campaignEmail } from './email.ts';
import { setResend } from './resend.ts';
import { describeEmail } from './review.ts';

type ResendInput = { subject: string; hours: number };

/**
 * The approver decides only about the subject and the delay, because a resend has the content of
 * the original campaign and is sent to some of its recipients.
 */
export function resendApproval(options: SendingOptions): ApprovalKind {
  const computeDigest = async (tx: Tx, accountId: number, id: number) => {
    const row = await getCampaignRow(tx, accountId, id);
    return hashState([row.revision, row.status, row.message_id]);
  };
  return {
    name: 'campaign_resend',
    idKind: 'campaign',
    computeDigest,
    lock: async (tx, accountId, id) => {
      await lockCampaignRow(tx, accountId, id);
    },
    requirePossible: async (tx, accountId, id) => {
      const row = await getCampaignRow(tx, accountId, id);
      if (row.resend_of !== null) throw new AppError('resend_of_resend');
    },
    readFacts: async (tx, accountId, id, input): Promise<ApprovalFacts> => {
      const row = await getCampaignRow(tx, accountId, id);
      const { subject, hours } = input as ResendInput;
      const lines = await describeEmail(tx, campaignEmail({ ...row, subject }), options);
      return {
        title: row.title,
        path: `/campaigns/${encodeId('campaign', id)}`,
        digest: await computeDigest(tx, accountId, id),
        hasCeiling: false,
        ...{ scheduled: null, passesAt: null, audience: null, cost: null, findings: [] },
        previews: [
          { title: subject, path: `${CAMPAIGNS_PATH}/${encodeId('campaign', id)}/preview` },
        ],
        ...lines,
        outline: [{ part: 'step', text: `+${hours} h` }, ...lines.outline],
      };
    },
    readPreviousOutline: async (tx, accountId, id) => {
      const row = await getCampaignRow(tx, accountId, id);
      return { comparedWith: 'sent', ...(await describeEmail(tx, campaignEmail(row), options)) };
    },
    run: async (tx, caller, id, input) => {
      const { subject, hours } = input as ResendInput;
      await setResend(tx, caller.accountId, id, subject, hours);
    },
  };
}
