// What is done for many messages in a row: what fails for one alone is told, and keeps no other waiting.
import { isCutOff, isRetriable } from '#platform/server/database.ts';
import { log } from '#platform/server/log.ts';
import type { MessageRef } from '../sender/round-robin.ts';

/** Fails only where the database is gone, for then it fails for all. */
export async function isolateFailure(
  { accountId, messageId }: MessageRef,
  failure: string,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (isRetriable(error) || isCutOff(error)) throw error;
    log.error(failure, { accountId, messageId, error: error as Error });
  }
}
