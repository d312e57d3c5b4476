// Replaces jobs that write the recipients of messages if the jobs used up their attempts or were
// lost. The new job continues after the slices that are already written.
import { clock } from '#platform/server/clock.ts';
import { inTransaction, type Tx } from '#platform/server/database/database.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { replaceAudienceJob } from './audience.ts';
import { isolateMessage } from './isolate-message.ts';
import { lockMessage } from './messages.sql.ts';
import { listMessagesInPreparation } from './open-messages.sql.ts';
import { FIRST_MESSAGE_KEY, PAGE_ROWS, PageCursor } from './pages.ts';
import { isMissingAudienceJob } from './resume.ts';

/** Messages that changed within this time are skipped: their audience is probably being written. */
const QUIET_MS = 60_000;
const OPEN_STATES: readonly string[] = ['preparing', 'sending', 'waiting'];

const pages = new PageCursor(FIRST_MESSAGE_KEY, PAGE_ROWS);

/** Runs in the elected worker. */
export const audienceJobsPoller: Poller = {
  name: 'delivery.audience_jobs',
  intervalMs: 60_000,
  async run(db, signal) {
    const before = new Date(clock.now().getTime() - QUIET_MS);
    const messages = await listMessagesInPreparation(db, before, pages);
    for (const { account_id: accountId, id: messageId } of pages.advance(messages, (row) => row)) {
      if (signal.aborted) return;
      await isolateMessage({ accountId, messageId }, 'Could not continue the recipients', () =>
        inTransaction(db, (tx) => restartWriting(tx, accountId, messageId)),
      );
    }
  },
};

async function restartWriting(tx: Tx, accountId: number, messageId: number): Promise<void> {
  const message = await lockMessage(tx, accountId, messageId);
  if (!message || !OPEN_STATES.includes(message.state)) return;
  if (await isMissingAudienceJob(tx, message)) await replaceAudienceJob(tx, accountId, messageId);
}
