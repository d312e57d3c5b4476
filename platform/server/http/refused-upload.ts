// The rest of an upload that is refused before its end.
import type { FastifyRequest } from 'fastify';

/**
 * Answers what the work on an uploaded file answers. Where it fails, what is left of the request is read and
 * thrown away: whoever sends all of it before they read an answer would wait for ever.
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
