// Draws the reward of a stored sign-up once it is confirmed: the prize of a sign-up without a
// proof, or the coupon of a form that requires a confirmation.
import { readFields } from '#areas/fields/server/index.ts';
import { updateSubscriber } from '#areas/subscribers/server/index.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { inSavepoint } from '#platform/server/database/savepoint.sql.ts';
import type { FormSettings } from '../settings-contract.ts';
import { drawGiveaway, type Giveaway } from './sign-up-reward.ts';
import * as store from './submissions.sql.ts';
import { toPrizeValue } from './confirmation-marker.ts';
import { NoPrizeLeft, type Prize } from './wheel.ts';

/**
 * Draws the reward and stores it with the sign-up and in the subscriber's prize field. Returns
 * undefined if the mailbox has a prize already or none is left.
 */
export async function drawRewardAfterConfirmation(
  tx: Tx,
  { account_id: accountId, form_id: formId, key }: store.SubmissionRow,
  signUp: { address: string; subscriberId: number; settings: FormSettings; giveaway: Giveaway },
): Promise<Prize | undefined> {
  const { address, subscriberId, settings, giveaway } = signUp;
  const prize = await inSavepoint(tx, () =>
    drawGiveaway(tx, { accountId, formId, key, address, giveaway }),
  ).catch((error: unknown) => {
    if (error instanceof NoPrizeLeft) return undefined;
    throw error;
  });
  if (!prize) return undefined;
  const submission = { account_id: accountId, form_id: formId, key };
  await store.saveSubmission(tx, submission, { prize: JSON.stringify(prize) });
  const fieldValues = toPrizeValue(settings, prize, await readFields(tx, accountId));
  if (Object.keys(fieldValues).length > 0)
    await updateSubscriber(tx, accountId, subscriberId, {
      fieldValues,
      cause: { origin: 'form' },
    });
  return prize;
}
