// What is done for many messages in a row: what fails for one alone keeps no other waiting.
import { isCutOff, isRetriable } from '#platform/server/database.ts';
import { isolateFailure } from '#platform/server/isolate-failure.ts';
import type { MessageRef } from '../sender/round-robin.ts';

/** Fails only where the database is gone, for then it fails for all. */
export async function isolateMessage(
  { accountId, messageId }: MessageRef,
  failure: string,
  work: () => Promise<unknown>,
): Promise<void> {
  const isForAll = (error: unknown) => isRetriable(error) || isCutOff(error);
  await isolateFailure(failure, { accountId, messageId }, work, isForAll);
}
