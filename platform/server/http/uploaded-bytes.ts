// The bytes of an uploaded file, for its handler to read.
import type { FastifyRequest } from 'fastify';

/** Fails after the last byte if the access of the request ended during the upload. */
export async function* uploadedBytes(
  request: FastifyRequest,
  file: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  yield* file;
  await request.recheckAccess?.();
}
