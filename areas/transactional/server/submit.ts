// Handles an email submitted by SMTP like one call per recipient. All calls are committed before
// the server responds with 250. The content is literal: braces are not merge tags.
import { createHash, randomUUID } from 'node:crypto';
import type { Address, Email } from 'postal-mime';
import { type AttachedPart, type SendingOptions, SUBMITTED } from '#areas/content/server/index.ts';
import { decodeId } from '#platform/ids.ts';
import { cleanText, cleanValue } from '#platform/server/clean-text.ts';
import type { Db } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { defineWork } from '#platform/server/work/work-pool.ts';
import { checkAttachments } from './attachments.ts';
import { LITERALS, escapeBraces } from './literal-braces.ts';
import { type SendCall, isAllowedHeader, sendCall } from './send.ts';
import { requireSmtpUser, type SmtpSender } from './smtp-users.ts';

/** Header that the product itself writes. */
const ORIGINAL_ID = 'x-original-message-id';
/** Contains the id of the transactional email that the submitted email is counted for. */
const EMAIL_HEADER = 'x-sendloom-email';

/** CPU time; an email of 10 MB takes about 200 ms. */
const MAX_CPU_MS = 5_000;

const parseMessage = defineWork<{ bytes: Uint8Array }, Email>({
  kind: 'mime',
  url: new URL('./submit-work.ts', import.meta.url),
  cpuMs: MAX_CPU_MS,
});

export type Submission = { user: SmtpSender; recipients: readonly string[]; bytes: Buffer };

/**
 * Sends the email to its recipients and returns their number.
 * @throws AppError for everything that a call would refuse, for an email that cannot be parsed, and
 * for a user who may no longer submit
 */
export async function submitEmail(
  db: Db,
  { user, recipients, bytes }: Submission,
  options: SendingOptions,
): Promise<number> {
  await requireSmtpUser(db, user);
  const rawMessage = await parseMessage({ bytes }, { key: user.accountId }).catch(
    (error: unknown) => {
      throw error instanceof AppError ? error : new AppError('mail_unreadable');
    },
  );
  const message = cleanValue(rawMessage);
  const { addressees, name } = toAddressees(message, recipients);
  const id = message.messageId?.trim();
  const call = {
    ...callOf(message),
    ...(addressees && { addressees }),
    variables: {
      ...LITERALS,
      ...(id && { [SUBMITTED.messageId]: id }),
      ...(name && { [SUBMITTED.name]: name }),
    },
  };
  const { accountId } = user;
  // Without a Message-ID each submission is a new email, even if its bytes are identical.
  const messageId = id || randomUUID();
  await Promise.all(
    recipients.map(cleanText).map((email) => {
      // A submission repeats an earlier one if user, Message-ID and recipient are the same.
      const text = `${user.id}\n${messageId}\n${email.toLowerCase()}`;
      const key = `smtp ${createHash('sha256').update(text).digest('base64url')}`;
      const recipient = { email, name: nameOf(message, email) };
      return sendCall(db, accountId, { ...call, to: recipient, key }, options);
    }),
  );
  return recipients.length;
}

function callOf(message: Email): Omit<SendCall, 'to'> {
  const sender = mailboxOf(message.from);
  const replyTo = mailboxOf(message.replyTo?.[0]);
  if (!sender) throw new AppError('sender_missing');
  const free = message.headers.filter(
    ({ key }) => isAllowedHeader(key) && key !== EMAIL_HEADER && key !== ORIGINAL_ID,
  );
  const template = message.headers.find(({ key }) => key === EMAIL_HEADER)?.value.trim();
  const attachments = partsOf(message);
  const html = message.html?.trim() ? { html: escapeBraces(message.html) } : {};
  const text =
    message.text?.trim() || !message.html ? { text: escapeBraces(message.text ?? ' ') } : {};
  return {
    from: sender,
    ...(replyTo && { reply_to: replyTo }),
    subject: escapeBraces(message.subject || '(no subject)'),
    ...html,
    ...text,
    headers: free.map(
      ({ originalKey, value }) => [originalKey, value.replace(/\s+/g, ' ').trim()] as const,
    ),
    isSubmitted: true,
    ...(attachments.length > 0 && { attachments }),
    ...(template && { template: templateOf(template) }),
  };
}

/**
 * If all addresses in To and Cc are recipients of the submission, returns them as written, or only
 * the name if there is a single address. If some of them are not recipients, returns an empty
 * object, because the program then submits a separate copy for each recipient.
 */
function toAddressees(
  message: Email,
  recipients: readonly string[],
): { addressees?: SendCall['addressees']; name?: string } {
  const addressesOf = (list: Address[] | undefined) =>
    (list ?? [])
      .flatMap((address) => address.group ?? [address])
      .flatMap(({ address, name }) => (address ? [{ email: address, name }] : []));
  const addressees = { to: addressesOf(message.to), cc: addressesOf(message.cc) };
  const recipientKeys = new Set(recipients.map((email) => email.toLowerCase()));
  const allAddressees = [...addressees.to, ...addressees.cc];
  const isWhole =
    allAddressees.length > 0 &&
    allAddressees.every(({ email }) => recipientKeys.has(email.toLowerCase()));
  if (!isWhole) return {};
  const [only] = addressees.to;
  if (only && allAddressees.length === 1 && only.email === recipients[0])
    return { name: only.name };
  return { addressees };
}

const CONTENT_ID = /^<([^<>\s]{1,200})>$/;

/** Returns the attachments, inline parts and alternative bodies. */
function partsOf(message: Email): AttachedPart[] {
  const attachedParts = message.attachments.map((attachment, index) => {
    const { mimeType, method, contentId = '', related, disposition } = attachment;
    const id = CONTENT_ID.exec(contentId)?.[1];
    const isShown = related === true || (disposition === 'inline' && id !== undefined);
    const isForm = /^text\/(calendar|x-amp-html)$/.test(mimeType) && disposition !== 'attachment';
    const placement: AttachedPart['place'] = isForm
      ? 'alternative'
      : isShown && message.html
        ? 'related'
        : undefined;
    const name = attachment.filename || `attachment-${index + 1}${EXTENSIONS[mimeType] ?? ''}`;
    const content = Buffer.from(attachment.content as ArrayBuffer);
    const bytes = mimeType === 'message/rfc822' ? withLineEndings(content) : content;
    return { name, bytes, place: placement, id, type: typeOf(mimeType, method, bytes) };
  });
  return checkAttachments(attachedParts).map((attachment, index) => {
    const { place, id, type } = attachedParts[index] as (typeof attachedParts)[number];
    return {
      ...attachment,
      ...(type !== undefined && { type }),
      ...(place && { place }),
      ...(id !== undefined && { content_id: id }),
    };
  });
}

const EXTENSIONS: Record<string, string> = { 'text/calendar': '.ics', 'message/rfc822': '.eml' };

/** Returns the type to state for a part, or undefined if the name and bytes imply it. */
function typeOf(mimeType: string, method: string | undefined, bytes: Buffer): string | undefined {
  if (mimeType === 'text/calendar') {
    const methodParameter = /^[A-Za-z-]{1,20}$/.test(method ?? '') ? `; method=${method}` : '';
    return `text/calendar; charset=utf-8${methodParameter}`;
  }
  if (mimeType === 'text/x-amp-html') return 'text/x-amp-html; charset=utf-8';
  // An embedded email must not be encoded; one with lines that a relay could change is attached as
  // a file.
  if (mimeType === 'message/rfc822' && isPlain(bytes)) return 'message/rfc822';
  return undefined;
}

/** Restores the line endings that the parser removed. */
const withLineEndings = (bytes: Buffer) =>
  Buffer.from(`${bytes.toString('latin1').trimEnd().replace(/\r?\n/g, '\r\n')}\r\n`, 'latin1');

/** Returns whether all lines are short ASCII that no relay changes. */
function isPlain(bytes: Buffer): boolean {
  const text = bytes.toString('latin1');
  return /^(?:(?!\.|From )[\t\x20-\x7e]{0,900}\r\n)+$/.test(text);
}

function templateOf(id: string): number {
  const templateId = decodeId('transactional', id);
  if (templateId === undefined) throw new AppError('not_found');
  return templateId;
}

function mailboxOf(address: Address | undefined): { email: string; name: string } | undefined {
  return address?.address ? { email: address.address, name: address.name } : undefined;
}

const nameOf = (message: Email, email: string) =>
  [...(message.to ?? []), ...(message.cc ?? [])].find(
    (address) => address.address?.toLowerCase() === email.toLowerCase(),
  )?.name || undefined;
