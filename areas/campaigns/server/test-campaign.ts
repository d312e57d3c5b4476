// A test mail: the campaign as it is now, to a few addresses, through delivery's door for singles.
import { previewPerson, previewValues } from '#areas/content/server/index.ts';
import * as delivery from '#areas/delivery/server/index.ts';
import type { Tx } from '#platform/server/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { randomSecret } from '#platform/server/secrets.ts';
import { campaignRow } from './campaigns.ts';
import { mailErrors, messageSource, type SendingOptions } from './message.ts';

/** What is only wanted once a mail goes to many. */
const HARMLESS = new Set(['postal_address_missing']);

export async function testCampaign(
  tx: Tx,
  accountId: number,
  id: number,
  emails: readonly string[],
  subscriber: number | undefined,
  options: SendingOptions,
): Promise<number> {
  const row = await campaignRow(tx, accountId, id);
  const errors = await mailErrors(tx, row, options);
  const findings = errors.filter((finding) => !HARMLESS.has(finding.code));
  if (findings.length > 0) throw new AppError('content_invalid', { extra: { findings } });
  const recipients = [...new Set(emails.map((email) => email.trim()))];
  const keys = recipients.map((recipient) => recipient.toLowerCase());
  const [email] = await delivery.unwantedTests(tx, accountId, keys);
  if (email !== undefined) throw new AppError('test_unwanted', { values: { email } });
  const source = await messageSource(tx, row, options);
  const shownAs = subscriber ?? (await previewPerson(tx, accountId));
  const values = await previewValues(tx, accountId, shownAs, source.conditions);
  for (const recipient of recipients) {
    await delivery.sendOne(tx, {
      accountId,
      kind: 'test',
      sourceId: row.id,
      source,
      recipient,
      values: { ...values, email: recipient },
      idempotencyKey: randomSecret(),
      // They are another person's than the reader's: nothing of them stays.
      isSecret: true,
      shownAs,
    });
  }
  return recipients.length;
}
