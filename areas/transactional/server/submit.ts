// A mail handed in by SMTP becomes what a call is: one single for each recipient, committed before 250.
// What it says stays as it was written: braces in it are no merge tags.
import { createHash, randomUUID } from 'node:crypto';
import type { Address, Email } from 'postal-mime';
import type { SendingOptions } from '#areas/content/server/index.ts';
import { decodeId } from '#platform/ids.ts';
import { cleanText, cleanValue } from '#platform/server/clean-text.ts';
import type { Db } from '#platform/server/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { defineWork } from '#platform/server/work-pool.ts';
import { checkAttachments } from './attachments.ts';
import { type Call, isFreeHeader, sendCall } from './send.ts';
import { requireSmtpUser, type SmtpUser } from './smtp-users.ts';

/** Files the mail under a transactional email's report. */
const EMAIL_HEADER = 'x-sendloom-email';

/** Of processor time; an email of 10 MB takes some 200 ms. */
const MAX_CPU_MS = 5_000;

const parseMail = defineWork<{ bytes: Uint8Array }, Email>({
  kind: 'mime',
  url: new URL('./submit-work.ts', import.meta.url),
  cpuMs: MAX_CPU_MS,
});

export type Submission = { user: SmtpUser; recipients: readonly string[]; bytes: Buffer };

/** Answers how many were taken. @throws AppError: what a call would be refused for */
export async function submitMail(
  db: Db,
  { user, recipients, bytes }: Submission,
  options: SendingOptions,
): Promise<number> {
  await requireSmtpUser(db, user);
  const parsed = await parseMail({ bytes }, { key: user.accountId }).catch((error: unknown) => {
    throw error instanceof AppError ? error : new AppError('mail_unreadable');
  });
  const mail = cleanValue(parsed);
  const call = callOf(mail);
  const { accountId } = user;
  // Equal bytes say nothing: without an id of its own, each submission is another mail.
  const known = mail.messageId?.trim() || randomUUID();
  await Promise.all(
    recipients.map(cleanText).map((email) => {
      // The same user, Message-ID and recipient are the same mail.
      const text = `${user.id}\n${known}\n${email.toLowerCase()}`;
      const key = `smtp ${createHash('sha256').update(text).digest('base64url')}`;
      const to = { email, name: nameOf(mail, email) };
      return sendCall(db, accountId, { ...call, to, key }, options);
    }),
  );
  return recipients.length;
}

function callOf(mail: Email): Omit<Call, 'to'> {
  const from = mailboxOf(mail.from);
  const replyTo = mailboxOf(mail.replyTo?.[0]);
  if (!from) throw new AppError('sender_missing');
  const free = mail.headers.filter(({ key }) => isFreeHeader(key) && key !== EMAIL_HEADER);
  const template = mail.headers.find(({ key }) => key === EMAIL_HEADER)?.value.trim();
  const attachments = checkAttachments(
    mail.attachments.map(({ filename, content }, place) => ({
      name: filename || `attachment-${place + 1}`,
      bytes: Buffer.from(content as ArrayBuffer),
    })),
  );
  const html = mail.html?.trim() ? { html: literal(mail.html) } : {};
  const text = mail.text?.trim() || !mail.html ? { text: literal(mail.text ?? ' ') } : {};
  return {
    from,
    ...(replyTo && { reply_to: replyTo }),
    subject: literal(mail.subject || '(no subject)'),
    ...html,
    ...text,
    headers: free.map(
      ({ originalKey, value }) => [originalKey, value.replace(/\s+/g, ' ').trim()] as const,
    ),
    variables: LITERALS,
    ...(attachments.length > 0 && { attachments }),
    ...(template && { template: templateOf(template) }),
  };
}

function templateOf(id: string): number {
  const found = decodeId('transactional', id);
  if (found === undefined) throw new AppError('not_found');
  return found;
}

function mailboxOf(address: Address | undefined): { email: string; name: string } | undefined {
  return address?.address ? { email: address.address, name: address.name } : undefined;
}

const nameOf = (mail: Email, email: string) =>
  [...(mail.to ?? []), ...(mail.cc ?? [])].find(
    (one) => one.address?.toLowerCase() === email.toLowerCase(),
  )?.name || undefined;

/** Values that put back what would have been a tag. */
const LITERALS = { smtp_open: '{{', smtp_tag: '{%', smtp_field: '{$' };
const TAGS: Record<string, string> = {
  '{{': '{{smtp_open}}',
  '{%': '{{smtp_tag}}',
  '{$': '{{smtp_field}}',
};

const literal = (words: string) => words.replace(/\{[{%$]/g, (sign) => TAGS[sign] as string);
