// What is done for many in a row: what fails for one alone is told, and keeps no other waiting.
import { log } from './log.ts';

/**
 * The work's answer; undefined where it failed, which is logged with these facts.
 * @param isForAll what would fail for every other one, too, is thrown: the database is gone, the process stops
 */
export async function isolateFailure<T>(
  failure: string,
  facts: Record<string, unknown>,
  work: () => Promise<T>,
  isForAll: (error: unknown) => boolean = () => false,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isForAll(error)) throw error;
    log.error(failure, { ...facts, error });
    return undefined;
  }
}
