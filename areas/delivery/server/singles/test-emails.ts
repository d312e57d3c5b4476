// Sends test emails to a few addresses, each as a single send.
import type { TestEmail } from '#areas/content/server/index.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { generateSecret } from '#platform/server/secrets.ts';
import { findMessage } from '../ledger/messages.sql.ts';
import { sendOne } from '../ledger/messages.ts';
import { findUnwantedTests } from '../ledger/test-recipients.ts';

/** @throws `test_unwanted` if one of the recipients has opted out; then no email is sent */
export async function sendTest(tx: Tx, email: TestEmail): Promise<void> {
  const { accountId, recipients, values, ...message } = email;
  const keys = recipients.map((recipient) => recipient.toLowerCase());
  const [unwanted] = await findUnwantedTests(tx, accountId, keys);
  if (unwanted !== undefined) throw new AppError('test_unwanted', { values: { email: unwanted } });
  for (const recipient of recipients) {
    await sendOne(tx, {
      ...message,
      accountId,
      kind: 'test',
      recipient,
      values: { ...values, email: recipient },
      idempotencyKey: generateSecret(),
      // The values belong to a subscriber other than the reader, so they are not stored in plain
      // text.
      isSecret: true,
    });
  }
}

/**
 * Sends the content of a message to these addresses as test emails, with header fields added.
 * Recipients who have opted out are omitted.
 */
export async function sendCopies(
  tx: Tx,
  copies: {
    accountId: number;
    messageId: number;
    recipients: readonly string[];
    headers: { name: string; value: string }[];
  },
): Promise<void> {
  const { accountId, messageId, recipients, headers } = copies;
  const row = await findMessage(tx, accountId, messageId);
  if (!row || !('source' in row.frozen)) return;
  const { source } = row.frozen;
  const keys = recipients.map((recipient) => recipient.toLowerCase());
  const unwantedKeys = new Set(await findUnwantedTests(tx, accountId, keys));
  for (const recipient of recipients.filter(
    (recipient) => !unwantedKeys.has(recipient.toLowerCase()),
  )) {
    await sendOne(tx, {
      ...{ accountId, kind: 'test', sourceId: null, recipient, isSecret: true },
      source: { ...source, headers: [...(source.headers ?? []), ...headers] },
      values: { email: recipient },
      idempotencyKey: recipient,
    });
  }
}
