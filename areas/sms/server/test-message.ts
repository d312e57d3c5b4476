// Sends test SMS to numbers that the author enters, with the values of a subscriber.
import {
  compileSms,
  toSubscriberValues,
  type PreviewedSubscriber,
  rememberTestRecipients,
} from '#areas/content/server/index.ts';
import { sendOne } from '#areas/delivery/server/ledger/index.ts';
import { readFields } from '#areas/fields/server/index.ts';
import { parsePhone } from '#areas/subscribers/server/index.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { AppError, invalid } from '#platform/server/errors.ts';
import type { FrozenSmsText } from './channel.ts';
import { freezeSms } from './adapter.ts';
import { maySendFrom } from './phone-owners.ts';
import { findPhone } from './phones.sql.ts';
import type { SmsRow } from './sms.sql.ts';
import { createAutomatedSms } from './step-message.ts';
import { type SmsDraft, readPreviewSubscriber } from './message-text.ts';

type TestSmsInput = {
  accountId: number;
  /** ID of the campaign; null for an SMS that is not saved. */
  sourceId: number | null;
  text: FrozenSmsText;
  phones: readonly string[];
  /** Subscriber whose values replace merge tags; undefined for the newest SMS subscriber. */
  subscriberId?: PreviewedSubscriber;
};

/** Sends a test of a campaign. Returns the number of SMS. */
export async function sendTest(
  tx: Tx,
  row: SmsRow,
  phones: readonly string[],
  { subscriberId, publicUrl }: { subscriberId: PreviewedSubscriber; publicUrl: string },
): Promise<number> {
  const { account_id: accountId, id: sourceId } = row;
  const sender = row.phone_id === null ? undefined : await findPhone(tx, accountId, row.phone_id);
  if (!(await maySendFrom(tx, accountId, sender))) throw new AppError('phone_not_active');
  const text = await freezeSms(tx, row, publicUrl);
  return deliverTests(tx, { accountId, sourceId, text, phones, subscriberId });
}

/** Sends a test of an SMS as currently entered for a campaign or workflow step, before it is saved. */
export async function sendTestSms(
  tx: Tx,
  accountId: number,
  draft: SmsDraft & { phoneId: number },
  {
    phones,
    subscriberId,
    publicUrl,
  }: Pick<TestSmsInput, 'phones' | 'subscriberId'> & { publicUrl: string },
): Promise<number> {
  const { text } = await createAutomatedSms(tx, accountId, draft, publicUrl);
  if (compileSms(text.words).errors.length > 0) throw new AppError('content_invalid');
  return deliverTests(tx, { accountId, sourceId: null, text, phones, subscriberId });
}

async function deliverTests(tx: Tx, test: TestSmsInput): Promise<number> {
  const { accountId, sourceId, text, phones, subscriberId } = test;
  const numbers = phones.map((phone) => parsePhone(phone));
  const problem = numbers.find((number) => typeof number === 'string');
  if (problem !== undefined) throw invalid({ phones: [`errors.${String(problem)}`] });
  const subscriber = await readPreviewSubscriber(tx, accountId, subscriberId);
  const values = subscriber ? toSubscriberValues(subscriber, await readFields(tx, accountId)) : {};
  for (const number of numbers) {
    if (typeof number === 'string') continue;
    await sendOne(tx, {
      accountId,
      kind: 'sms_test',
      sourceId,
      text,
      recipient: number.phone,
      values,
      idempotencyKey: crypto.randomUUID(),
    });
  }
  await rememberTestRecipients(
    tx,
    accountId,
    'sms',
    numbers.flatMap((number) => (typeof number === 'string' ? [] : [number.phone])),
  );
  return numbers.length;
}
