// Renders sent content for reports. A message is rendered without a subscriber's values, so that
// its merge tags show their fallbacks; a single send is rendered with its own values.
import { showMessage, renderSubject } from '#areas/content/server/index.ts';
import { TOKEN_LENGTH } from '#areas/tracking/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { readCopy } from './copies.ts';
import type { Frozen } from './messages.ts';
import { findMessage } from './messages.sql.ts';

/**
 * A token that no installation issues, so that requests with it count neither as opens nor as
 * clicks.
 */
const UNISSUED_TOKEN = 'report'.padEnd(TOKEN_LENGTH, '-');

const TRACKED = new RegExp(`(?<=^|["'\\s>])[^"'\\s>]*/t/c/${UNISSUED_TOKEN}/(\\d+)`, 'g');

/**
 * Returns the HTML, with the URLs of tracked links replaced by what `link` returns for their
 * position. Null for a plain-text email; undefined if the message does not exist or is an SMS.
 */
export async function readSentHtml(
  db: Reader,
  accountId: number,
  messageId: number,
  link: (position: number) => string,
): Promise<string | null | undefined> {
  const row = await findMessage(db, accountId, messageId);
  if (!row || row.channel !== 'email') return undefined;
  const { source } = row.frozen as Frozen;
  const recipient = { email: '', token: UNISSUED_TOKEN, message_token: UNISSUED_TOKEN, values: {} };
  const { html } = await showMessage({ ...source, message_id: messageId }, recipient, clock.now());
  return html?.replace(TRACKED, (_, position) => link(Number(position))) ?? null;
}

type SentContent = { subject: string; from: string; html: string | null; text: string };

/**
 * Returns a single send as its recipient received it, without tracking; undefined if the message
 * does not exist or is an SMS.
 */
export async function readSentSingle(
  tx: Tx,
  accountId: number,
  single: { id: number; messageId: number; subscriberId: number | null },
): Promise<SentContent | undefined> {
  const copy = await readCopy(tx, {
    account: accountId,
    message: single.messageId,
    subscriber: single.subscriberId ?? 0,
    ordinal: single.id,
  });
  if (!copy) return undefined;
  const source = { ...copy.frozen.source, message_id: single.messageId };
  const { values } = copy;
  const recipient = {
    email: typeof values.email === 'string' ? values.email : '',
    token: UNISSUED_TOKEN,
    message_token: UNISSUED_TOKEN,
    values,
  };
  const now = clock.now();
  const { html, text } = await showMessage(source, recipient, now);
  const { name, email } = source.from;
  return {
    subject: await renderSubject(source, values, now),
    from: name === '' ? email : `${name} <${email}>`,
    html: html?.replace(TRACKED, '#') ?? null,
    text: text.replace(TRACKED, '…'),
  };
}
