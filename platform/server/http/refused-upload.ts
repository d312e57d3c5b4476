// Handles the rest of an upload that is refused before its end.
import type { FastifyRequest } from 'fastify';

/**
 * Returns the result of the work on an uploaded file. If the work fails, the rest of the request is
 * read and discarded. Otherwise a client that reads the response only after it has sent the whole
 * file would wait forever.
 */
export async function readToEndIfRefused<T>(
  { raw }: FastifyRequest,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    raw.unpipe();
    raw.resume();
    throw error;
  }
}
