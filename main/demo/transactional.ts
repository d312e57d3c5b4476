// The demo's transactional emails: a receipt for each order, and a notice when it is shipped.
import { createHash } from 'node:crypto';
import { compileMessage, saveContent } from '#areas/content/server/index.ts';
import { createEmail } from '#areas/transactional/server/emails.ts';
import { updateEmail } from '#areas/transactional/server/emails.sql.ts';
import { decodeId } from '#platform/ids.ts';
import { DIRECTION } from '#platform/languages.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { insertFinishedMessage } from './campaigns.sql.ts';
import type { DemoHistory } from './history.sql.ts';
import { ACCOUNT, getEmailFont, postalAddress } from './shop.ts';
import { type CreateSource, SENDER } from './source.ts';
import { addSingles, settleTransactional } from './transactional.sql.ts';

const EMAILS = [
  { key: 'confirmation', path: 'orders', afterHours: 0 },
  { key: 'shipping', path: 'parcels', afterHours: 22 },
] as const;

export async function insertTransactional(
  tx: Tx,
  history: DemoHistory,
  sourceOf: CreateSource,
): Promise<void> {
  const since = new Date(history.now.getTime() - 731 * 86_400_000);
  for (const email of EMAILS) {
    const [title = '', subject = '', heading = '', body = '', button = ''] =
      history.texts.transactional[email.key];
    const createdEmail = await createEmail(
      tx,
      { accountId: history.accountId, userId: history.userId },
      { title, subject, from_name: SENDER.name, from_email: SENDER.email },
    );
    const id = decodeId('transactional', createdEmail.id) as number;
    const html = htmlOf(history, { heading, body, button, path: email.path });
    const content = await saveContent(
      tx,
      history.accountId,
      null,
      { kind: 'html', html, plain_text: null },
      history.userId,
    );
    await updateEmail(tx, history.accountId, id, {
      content_id: content.content_id,
      content_revision: content.revision,
      content_kind: 'html',
      last_action: 'step3',
      created_at: since,
    });
    const { messageId, links } = await insertFinishedMessage(
      tx,
      history,
      { kind: 'transactional', channel: 'email', sourceId: id, sentAt: since },
      (message) => {
        const source = sourceOf({ kind: 'transactional', subject, preheader: '', html }, message);
        return {
          frozen: { source, fields: history.mergeFields },
          links: compileMessage(source).links,
        };
      },
    );
    const hash = createHash('sha256').update(`demo ${id}`).digest();
    await settleTransactional(tx, history, messageId, hash);
    await addSingles(tx, history, { messageId, links, delayHours: email.afterHours });
  }
}

type EmailTexts = { heading: string; body: string; button: string; path: string };

function htmlOf(
  { language, locale }: Pick<DemoHistory, 'language' | 'locale'>,
  { heading, body, button, path }: EmailTexts,
): string {
  const direction = DIRECTION[language];
  return `<!doctype html>
<html lang="${locale}" dir="${direction}"><head><meta charset="utf-8"><title>${heading}</title></head>
<body style="margin:0;background:#f4f3ee"><table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="600" cellpadding="0" cellspacing="0" dir="${direction}" style="max-width:600px;width:100%;background:#ffffff;border-radius:8px;text-align:${direction === 'rtl' ? 'right' : 'left'}"><tr><td style="padding:32px 36px;font-family:${getEmailFont(language)};font-size:17px;line-height:27px;color:#2b2b26">
<h1 style="margin:0 0 18px;font-size:26px;font-weight:normal">${heading}</h1><p>${body}</p>
<p style="margin:28px 0"><a href="${ACCOUNT.website}/${path}" style="background:#1f4d3a;color:#ffffff;text-decoration:none;padding:13px 26px;border-radius:6px;display:inline-block">${button}</a></p>
<p><bdi>${ACCOUNT.title}, ${postalAddress(locale)}</bdi></p></td></tr></table></td></tr></table></body></html>`;
}
