// Content of a message for its report: rendered without a subscriber, so merge tags show their
// fallbacks.
import { showMessage } from '#areas/content/server/index.ts';
import { TOKEN_LENGTH } from '#areas/tracking/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { Frozen } from './messages.ts';
import { findMessage } from './messages.sql.ts';

/** A token that no installation issues: requests with it count as no open or click. */
const UNISSUED_TOKEN = 'report'.padEnd(TOKEN_LENGTH, '-');

const TRACKED = new RegExp(`(?<=^|["'\\s>])[^"'\\s>]*/t/c/${UNISSUED_TOKEN}/(\\d+)`, 'g');

/**
 * The HTML with each tracked link's address written by `link` from its position. Null for a
 * plain-text message, undefined if the message was deleted.
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
