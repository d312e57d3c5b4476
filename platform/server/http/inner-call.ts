// Calls of the API on behalf of a caller whom another protocol has authenticated. They pass the same
// validation, rights, limits, idempotency and audit as requests from outside.
import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller } from './serve.ts';

/** Header that identifies the caller of one call by a value that only this process knows. */
const HEADER = 'x-sendloom-inner-call';
const callers = new Map<string, Caller>();

export type InnerCall = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with its parameters and query. */
  url: string;
  body?: Record<string, unknown> | undefined;
  idempotencyKey?: string | undefined;
};

export type InnerAnswer = { status: number; body: unknown };

/** Runs a call as a caller, with the IP address and the client of the outer request. */
export async function innerCall(
  app: FastifyInstance,
  outer: FastifyRequest,
  caller: Caller,
  { method, url, body, idempotencyKey }: InnerCall,
): Promise<InnerAnswer> {
  const nonce = randomUUID();
  callers.set(nonce, caller);
  try {
    const answer = await app.inject({
      method,
      url,
      remoteAddress: outer.ip,
      headers: {
        [HEADER]: nonce,
        'user-agent': outer.headers['user-agent'] ?? '',
        ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      },
      ...(body && { payload: body }),
    });
    const isJson = String(answer.headers['content-type'] ?? '').includes('application/json');
    return { status: answer.statusCode, body: isJson ? answer.json() : undefined };
  } finally {
    callers.delete(nonce);
  }
}

/** The caller of an inner call; each value of the header is accepted once. */
export function innerCaller({ headers }: FastifyRequest): Caller | undefined {
  const nonce = headers[HEADER];
  if (typeof nonce !== 'string') return undefined;
  const caller = callers.get(nonce);
  callers.delete(nonce);
  return caller;
}
