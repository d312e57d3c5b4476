// The queue of results to write. Every result is written eventually, despite failures and delays.
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import type { ActiveMessage } from '../sender/active-message.ts';
import { ResultQueue } from './result-queue.ts';
import type { AttemptResult } from './result-rows.ts';

const messageOf = (key: string) => ({ key, accountId: 1, id: 1 }) as ActiveMessage;
const attemptResultOf = (message: ActiveMessage) => ({ handoff: { message } }) as AttemptResult;

/**
 * Creates a queue like the recorder's; `beforeWrite` may delay the write of a message or make it
 * fail.
 */
function queueOf(beforeWrite: (message: ActiveMessage) => Promise<void>) {
  const writtenResults: AttemptResult[] = [];
  const queue = new ResultQueue(async (message, list) => {
    await beforeWrite(message);
    writtenResults.push(...list);
    queue.confirmWritten(list.length);
  });
  onTestFinished(() => queue.drain(1_000));
  return { queue, written: writtenResults };
}

test('results whose write fails while another message is being written are retained and written later', async () => {
  const [a, b] = [messageOf('a'), messageOf('b')];
  let fail: ((error: Error) => void) | undefined;
  let isFirst = true;
  const { queue, written } = queueOf(async (message) => {
    if (message === b && isFirst) {
      isFirst = false;
      // The write takes long enough for others to run concurrently.
      await new Promise<void>((_, reject) => {
        fail = reject;
      });
    }
    if (message === a) {
      fail?.(Object.assign(new Error('deadlock detected'), { code: '40P01' }));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });
  const [b1, a2, b2] = [attemptResultOf(b), attemptResultOf(a), attemptResultOf(b)];
  queue.add(b1);
  await expect.poll(() => fail).toBeTruthy();
  queue.add(a2);
  queue.add(b2);
  await expect.poll(() => queue.pendingCount, { timeout: 5_000 }).toBe(0);
  expect(written).toHaveLength(3);
  expect(written.filter((result) => result.handoff.message === b)).toEqual([b1, b2]);
  expect(new Set(written)).toEqual(new Set([b1, a2, b2]));
});

test('results for an unreachable cluster node do not delay other results or count as waiting', async () => {
  const [away, near] = [messageOf('away'), messageOf('near')];
  let isAway = true;
  const { queue, written } = queueOf(async (message) => {
    if (message !== away || !isAway) return;
    const text = 'connection to the remote node sendloom@10.0.0.2:5432 failed';
    throw Object.assign(new pg.DatabaseError(text, text.length, 'error'), { code: '08006' });
  });
  const [lost, nearby] = [attemptResultOf(away), attemptResultOf(near)];
  queue.add(lost);
  await expect.poll(() => queue.isRetrying(away)).toBe(true);
  queue.add(nearby);
  // This is shorter than the wait after a failure of the database.
  await expect.poll(() => written, { timeout: 250, interval: 10 }).toEqual([nearby]);
  expect(queue.pendingCount).toBe(0);
  isAway = false;
  await expect.poll(() => written, { timeout: 5_000 }).toEqual([nearby, lost]);
});
