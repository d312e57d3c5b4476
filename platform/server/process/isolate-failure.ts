// Isolates failures in work over many items: a failed item is logged and does not stop the others.
import { log } from '../log.ts';

/**
 * Returns the result of the work; undefined if it failed. The failure is logged with these fields.
 * @param isForAll returns true for an error that would affect every item, for example because the
 * database is unreachable or the process is stopping; such an error is thrown
 */
export async function isolateFailure<T>(
  failure: string,
  details: Record<string, unknown>,
  work: () => Promise<T>,
  isForAll: (error: unknown) => boolean = () => false,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isForAll(error)) throw error;
    log.error(failure, { ...details, error });
    return undefined;
  }
}
