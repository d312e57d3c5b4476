// Reschedules missed waves and makes senders skip a message until its next wave opens.
import { clock } from '#platform/server/clock.ts';
import { inTransaction, type Tx } from '#platform/server/database/database.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import type { Audience } from '../ledger/audience.sql.ts';
import { isolateMessage } from '../ledger/isolate-message.ts';
import { lockMessage } from '../ledger/messages.sql.ts';
import { FIRST_MESSAGE_KEY, PAGE_ROWS, PageCursor } from '../ledger/pages.ts';
import { moveWave } from './wave-plan.ts';
import { listAwakeMessages, listMissedWaves, moveLanes, sleepUntilNextWave } from './waves.sql.ts';

const pages = new PageCursor(FIRST_MESSAGE_KEY, PAGE_ROWS);

/** Runs in the elected worker. Senders respect the times of waves without it. */
export const wavesPoller: Poller = {
  name: 'delivery.waves',
  intervalMs: 5_000,
  async run(db, signal) {
    const now = clock.now();
    const messages = await listAwakeMessages(db, now, pages);
    for (const { account_id: accountId, id: messageId } of pages.advance(messages, (row) => row)) {
      if (signal.aborted) return;
      await isolateMessage({ accountId, messageId }, 'Could not update the waves', () =>
        inTransaction(db, (tx) => updateWaves(tx, accountId, messageId, now)),
      );
    }
  },
};

async function updateWaves(tx: Tx, accountId: number, messageId: number, now: Date): Promise<void> {
  const message = await lockMessage(tx, accountId, messageId);
  const plan = (message?.audience as Partial<Audience> | undefined)?.waves;
  if (!plan) return;
  for (const missedWave of await listMissedWaves(tx, accountId, messageId, now)) {
    const zone = plan.waves[missedWave.wave]?.zone ?? plan.rule.zone;
    await moveLanes(
      tx,
      accountId,
      messageId,
      missedWave,
      moveWave(plan.rule, { ...missedWave, zone }, now),
    );
  }
  await sleepUntilNextWave(tx, accountId, messageId, now);
}
