// The first email of an account, which a user can send to their own address before anything is set
// up.
import { emailsStay, readAccount, readMember } from '#areas/accounts/server/index.ts';
import {
  createFirstEmail,
  learnWebsite,
  type SendingOptions,
} from '#areas/content/server/index.ts';
import { sendOne } from '#areas/delivery/server/ledger/index.ts';
import { isLanguage, type Language } from '#platform/languages.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import type { Actor } from '#platform/server/http/serve.ts';
import { generateSecret } from '#platform/server/secrets.ts';
import { serverTexts } from '#platform/server/texts.ts';

export type FirstEmailOptions = {
  sending: SendingOptions;
  /** The installation's own address, because no sender domain exists yet. */
  systemSender: string;
};

/**
 * Sends the email from the installation's address to the caller's own address.
 * @throws email_not_verified if emails leave this machine and the address is unverified
 */
export async function sendFirstEmail(
  db: Db,
  caller: Actor,
  website: string | undefined,
  { sending, systemSender }: FirstEmailOptions,
) {
  const { accountId, userId } = caller;
  const user = await readMember(db, accountId, userId);
  if (!user) throw notFound();
  const stays = await inTransaction(db, (tx) => emailsStay.collect(tx, { accountId }));
  if (user.email_verified_at === null && !stays.includes(true))
    throw new AppError('email_not_verified');
  const websiteProfile =
    website === undefined ? undefined : await learnWebsite(db, caller, website);
  return inTransaction(db, async (tx) => {
    const { language } = await readAccount(tx, accountId);
    const source = await createFirstEmail(tx, accountId, websiteProfile, {
      texts: textsIn(isLanguage(language) ? language : 'eng'),
      from: systemSender,
      options: sending,
    });
    await sendOne(tx, {
      accountId,
      kind: 'letter',
      sourceId: null,
      source,
      recipient: user.email,
      values: { email: user.email },
      idempotencyKey: generateSecret(),
    });
    const { name = '', logo, color } = websiteProfile ?? {};
    const foundFacts = websiteProfile
      ? { name, has_logo: Boolean(logo), has_colour: Boolean(color) }
      : null;
    return { email: user.email, subject: source.subject, website: foundFacts };
  });
}

function textsIn(language: Language) {
  const t = serverTexts('dashboard', language);
  return (name: string) => ({
    subject: t('first.subject', { name }),
    heading: t('first.heading', { name }),
    body: [t('first.text'), t('first.more')],
    button: t('first.button'),
    ending: t('first.ending'),
  });
}
