// Runs work for many messages in a row: a failure of one does not block the others.
import { isCutOff, isRetriable } from '#platform/server/database/database.ts';
import { isolateFailure } from '#platform/server/process/isolate-failure.ts';
import type { MessageRef } from '../sender/round-robin.ts';

/** Throws only while the database is unavailable, because every message would fail. */
export async function isolateMessage(
  { accountId, messageId }: MessageRef,
  failure: string,
  work: () => Promise<unknown>,
): Promise<void> {
  const isForAll = (error: unknown) => isRetriable(error) || isCutOff(error);
  await isolateFailure(failure, { accountId, messageId }, work, isForAll);
}
