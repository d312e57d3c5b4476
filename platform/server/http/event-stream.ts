// Streams a response as server-sent events: `text` for each part, then `answer` with the complete
// response, or `error` with the body of a failed call.
import { PassThrough } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import { log } from '../log.ts';
import { toErrorResponse } from './errors.ts';

/** Aborts when the client ends its request before the response is complete. */
export function createCloseSignal({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

type StreamWork<Result> = (onText: (text: string) => void, signal: AbortSignal) => Promise<Result>;

/**
 * Runs the work and sends its parts. A failure before the first part results in an ordinary error
 * response.
 */
export async function streamResponse<Result>(
  request: FastifyRequest,
  reply: FastifyReply,
  work: StreamWork<Result>,
): Promise<FastifyReply> {
  const signal = createCloseSignal(reply);
  const stream = new PassThrough();
  // The client may end its request between two parts.
  stream.on('error', () => undefined);
  const send = (event: string, data: unknown) =>
    stream.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  const first = Promise.withResolvers<void>();
  const streaming = work((text) => {
    if (signal.aborted) return;
    send('text', text);
    first.resolve();
  }, signal).then((result) => send('answer', result));
  await Promise.race([first.promise, streaming]);
  void streaming
    .catch((error: unknown) => {
      if (signal.aborted) return;
      if (!(error instanceof AppError)) log.error('Stream failed', { error: error as Error });
      const appError = error instanceof AppError ? error : new AppError('server_error');
      send('error', toErrorResponse(appError, request));
    })
    .finally(() => stream.end());
  return reply
    .type('text/event-stream; charset=utf-8')
    .header('cache-control', 'no-cache, no-store, no-transform')
    .header('x-accel-buffering', 'no')
    .send(stream);
}
