// The confirmation email as written in the email editor. The content area stores its body; the
// forms area stores its sender and subject.
import {
  ContentError,
  type Email,
  type EmailAdapter,
  createMessageSource,
} from '#areas/content/server/index.ts';
import { sendTest } from '#areas/delivery/server/ledger/index.ts';
import type { ContentKind } from '#areas/content/shared.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { notFound } from '#platform/server/errors.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { FormSettings } from '../settings-contract.ts';
import { CONFIRM_LINK, CONFIRMATION_EMAILS_PATH } from '../shared.ts';
import { formTexts } from './form-texts.ts';
import * as store from './forms.sql.ts';
import { getFormsSettings, toInterfaceLanguage } from './settings.ts';

function toEmail(row: store.FormRow | undefined): Email {
  if (!row) throw notFound();
  const { mail_content_id: content_id, mail_content_revision: revision } = row;
  const { confirmation } = FormSettings.parse(row.settings);
  const { language } = row.document;
  const mailLanguage = toInterfaceLanguage(language);
  const t = formTexts(language);
  return {
    accountId: row.account_id,
    id: row.id,
    revision: row.mail_revision,
    content: content_id === null || revision === null ? undefined : { content_id, revision },
    contentKind: row.mail_content_kind as ContentKind | null,
    envelope: {
      kind: 'transactional',
      subject: confirmation.subject || t('mail.subject'),
      preheader: '',
      from: { name: confirmation.from_name, email: confirmation.from_email },
      reply_to: '',
      language: mailLanguage,
    },
    variables: [{ name: CONFIRM_LINK, title: serverTexts('forms', mailLanguage)('mail.link') }],
    sample: { [CONFIRM_LINK]: `${getFormsSettings().publicUrl}/f/confirm/example` },
  };
}

export const confirmationEmails: EmailAdapter = {
  area: 'forms',
  basePath: CONFIRMATION_EMAILS_PATH,
  kind: 'form',
  lockErrors: {},
  find: async (db, accountId, id) => toEmail(await store.findForm(db, accountId, id)),
  lock: async (tx, accountId, id) => {
    const row = await store.lockForm(tx, accountId, id);
    const isLive = row?.is_active && row.published_version !== null;
    return { ...toEmail(row), rightToChange: isLive ? 'send' : undefined };
  },
  saveContent: async (tx, { accountId, id, revision }, { content, kind }) => {
    await store.saveForm(tx, accountId, id, {
      mail_content_id: content.content_id,
      mail_content_revision: content.revision,
      mail_content_kind: kind,
      mail_revision: revision + 1,
      modified_at: clock.now(),
    });
  },
  sendTest,
};

/**
 * Reads the confirmation email that the form's author wrote. Returns undefined if there is none, if
 * its content is invalid, or if it lacks the confirmation link.
 */
export async function readCustomEmail(db: Reader, accountId: number, formId: number) {
  const row = await store.findForm(db, accountId, formId);
  const email = row && toEmail(row);
  if (!email?.content) return undefined;
  const { publicUrl } = getFormsSettings();
  const options = { publicUrl, needsVerifiedSender: false };
  try {
    const source = await createMessageSource(db, email, options);
    return `${source.html ?? ''}${source.text ?? ''}`.includes(CONFIRM_LINK) ? source : undefined;
  } catch (error) {
    if (error instanceof ContentError) return undefined;
    throw error;
  }
}
