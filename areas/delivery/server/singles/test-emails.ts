// Test emails: the same mail to a few addresses, each a single of its own.
import type { TestEmail } from '#areas/content/server/index.ts';
import type { Tx } from '#platform/server/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { randomSecret } from '#platform/server/secrets.ts';
import { sendOne } from '../ledger/messages.ts';
import { unwantedTests } from '../ledger/test-recipients.ts';

/** @throws test_unwanted where one of them wants no mails of the account: then nobody gets one */
export async function sendTest(tx: Tx, email: TestEmail): Promise<void> {
  const { accountId, recipients, values, ...message } = email;
  const keys = recipients.map((recipient) => recipient.toLowerCase());
  const [unwanted] = await unwantedTests(tx, accountId, keys);
  if (unwanted !== undefined) throw new AppError('test_unwanted', { values: { email: unwanted } });
  for (const recipient of recipients) {
    await sendOne(tx, {
      ...message,
      accountId,
      kind: 'test',
      recipient,
      values: { ...values, email: recipient },
      idempotencyKey: randomSecret(),
      // They are another person's than the reader's: nothing of them stays.
      isSecret: true,
    });
  }
}
