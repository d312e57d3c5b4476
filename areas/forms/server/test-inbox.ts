// The link to the built-in inbox on the success view of a test sign-up: only for visitors on the
// installation's own machine, and only if the account's emails stay in that inbox.
import type { FastifyRequest } from 'fastify';
import type { InboxLink } from '#embed/forms/shared/success.ts';
import { emailsStay, testToolsFor } from '#areas/accounts/server/index.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import { formTexts } from './form-texts.ts';
import type { SignUpResult } from './sign-up.ts';

export async function createTestInboxLink(
  db: Db,
  request: FastifyRequest,
  result: Extract<SignUpResult, { status: 'taken' }>,
): Promise<{ inbox?: InboxLink }> {
  const { confirmationEmail } = result;
  if (!confirmationEmail || !testToolsFor(request).includes('inbox')) return {};
  const { accountId, language } = confirmationEmail;
  const inboxes = await inTransaction(db, (tx) => emailsStay.collect(tx, { accountId }));
  if (!inboxes.includes(true)) return {};
  const href = `${request.protocol}://${request.headers.host ?? ''}/inbox`;
  return { inbox: { href, label: formTexts(language)('site.testInbox') } };
}
