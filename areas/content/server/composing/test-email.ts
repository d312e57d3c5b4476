// Sends the current email as a test to a few addresses.
import type { Tx } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { previewSubscriber } from '../personalization/memberships.ts';
import type { Email, EmailAdapter, SendingOptions } from './email.ts';
import { listEmailErrors } from './findings.ts';
import { type PreviewedSubscriber, readPreviewValues } from './preview.ts';
import { createPreviewSource } from './source.ts';
import { rememberTestRecipients } from './test-recipients.ts';

/** Findings that matter only for bulk sending. */
const HARMLESS = new Set(['postal_address_missing']);

/**
 * Sends the email with subscriber or sample values and stores the addresses for suggestions.
 * @returns the number of test emails. @throws content_invalid with the findings that prevent
 * sending, test_unwanted
 */
export async function sendTestEmail(
  tx: Tx,
  email: Email,
  {
    emails,
    subscriber,
    note,
  }: { emails: readonly string[]; subscriber?: PreviewedSubscriber; note?: string | undefined },
  options: SendingOptions & { sendTest: EmailAdapter['sendTest'] },
): Promise<number> {
  const errors = await listEmailErrors(tx, email, options);
  const findings = errors.filter(({ code }) => !HARMLESS.has(code));
  if (findings.length > 0) throw new AppError('content_invalid', { extra: { findings } });
  const recipients = [...new Set(emails.map((email) => email.trim()))];
  const { source, sample } = await createPreviewSource(tx, email, options);
  const isSample = subscriber === 'sample';
  const valuesSubscriberId = isSample
    ? undefined
    : (subscriber ?? (await previewSubscriber(tx, email.accountId)));
  const values = await readPreviewValues(
    tx,
    sample,
    source,
    isSample ? 'sample' : valuesSubscriberId,
  );
  const { accountId, id: sourceId } = email;
  const test = {
    ...source,
    subject: `[${serverTexts('content', source.language)('test')}] ${source.subject}`,
    ...(note && { note: note.replace(/\r\n?/g, '\n') }),
  };
  await options.sendTest(tx, {
    accountId,
    sourceId,
    source: test,
    recipients,
    values,
    valuesSubscriberId,
  });
  await rememberTestRecipients(tx, accountId, 'email', recipients);
  return recipients.length;
}
