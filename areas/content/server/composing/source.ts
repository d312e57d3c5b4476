// Builds the message source of an email from its content, saved or in an editor, and its envelope.
import { formatPostalAddress, readAccount } from '#areas/accounts/server/index.ts';
import { isLanguage } from '#platform/languages.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { readAttachedFiles } from '../attachments/attachments.ts';
import type { DraftContent } from '../content-source.ts';
import { createSourceParts } from '../source-parts.ts';
import { readContent } from '../contents.ts';
import { messageTexts } from '../personalization/message-texts.ts';
import { resolveUtm } from '../utm/utm.ts';
import type { Email, EmailSource, PreparedSource, SendingOptions } from './email.ts';

const NOTHING: DraftContent = {
  kind: 'text',
  document: null,
  html: null,
  plain_text: null,
  inline_css: false,
};

/**
 * @param draft unsaved content that replaces the saved content
 * @throws ContentError for a document that cannot be rendered
 */
export async function createMessageSource(
  db: Reader,
  email: Pick<Email, 'accountId' | 'content' | 'envelope'>,
  options: SendingOptions,
  draft?: DraftContent,
): Promise<EmailSource> {
  const { accountId, envelope } = email;
  const account = await readAccount(db, accountId);
  const content = draft ?? (await readStoredContent(db, email));
  const language = [envelope.language, account.language].find(isLanguage) ?? 'eng';
  const company = account.title || envelope.from.name;
  const sender = { language, company, public_url: options.publicUrl };
  const parts = await createSourceParts(db, accountId, content, sender);
  const files = await readAttachedFiles(db, email);
  return {
    kind: envelope.kind,
    account_id: accountId,
    company,
    street: account.address ?? '',
    // The postal address without the name of the business, which the footer shows before it.
    postal_address: formatPostalAddress({ ...account, title: '' }).join(', '),
    subject: envelope.subject,
    preheader: envelope.preheader || parts.preheader,
    from: envelope.from,
    reply_to: envelope.reply_to,
    html: parts.html,
    text: parts.text,
    ...(parts.conditions.length > 0 && { conditions: parts.conditions }),
    ...(files.length > 0 && { files }),
    ...(parts.attachments.length > 0 && { attachments: parts.attachments }),
    language,
    words: messageTexts(language, company),
    public_url: options.publicUrl,
    unsubscribe_mailbox: options.unsubscribeMailbox ?? '',
    is_tracked: true,
    ...(envelope.utm && {
      utm: await resolveUtm(db, { accountId, timezone: account.timezone }, 'email', envelope.utm),
    }),
  };
}

/** Like `createMessageSource`, with sample values, for previews, test emails and checks. */
export async function createPreviewSource(
  db: Reader,
  email: Pick<Email, 'accountId' | 'content' | 'envelope' | 'sample' | 'prepare'>,
  options: SendingOptions,
  draft?: DraftContent,
): Promise<PreparedSource> {
  const source = await createMessageSource(db, email, options, draft);
  if (email.prepare) return email.prepare(source);
  return { source, sample: email.sample ?? {}, required: [] };
}

export async function readStoredContent(
  db: Reader,
  { accountId, content: ref }: Pick<Email, 'accountId' | 'content'>,
): Promise<DraftContent> {
  if (ref === undefined) return NOTHING;
  const content = await readContent(db, accountId, ref);
  return { ...content, kind: content.kind as DraftContent['kind'] };
}
