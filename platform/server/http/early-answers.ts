// Responses embedded in a page of the web client: the session's user and the screen's first calls.
// Each saves a phone one round trip; calls that are not ready in time are left to the client.
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';

/** Maximum delay of the page for these calls. */
const MAX_MS = 100;
/** Every screen behind the sign-in requests the session's user. */
export const SESSION_CALL = '/client-api/api/users';
const SESSION_COOKIE = 'token';
const PASSED_ON = ['cookie', 'user-agent', 'accept-language', 'x-forwarded-for'] as const;

/** The session's user and account as JSON; undefined without a session. */
export async function sessionAnswer(request: FastifyRequest): Promise<string | undefined> {
  if (request.method !== 'GET' || !request.cookies[SESSION_COOKIE]) return undefined;
  return (await earlyAnswers(request, [SESSION_CALL]))[SESSION_CALL];
}

/** JSON bodies by the path the client will request; never rejects. */
export async function earlyAnswers(
  request: FastifyRequest,
  paths: readonly string[],
): Promise<Record<string, string>> {
  const late = delay(MAX_MS, undefined, { ref: false });
  const found = await Promise.all(
    paths.map((path) => Promise.race([answerOf(request, path).catch(() => undefined), late])),
  );
  return Object.fromEntries(
    paths.flatMap((path, i) => (found[i] === undefined ? [] : [[path, found[i]]])),
  );
}

/** Makes the call as if by the browser that requested the page. */
async function answerOf(request: FastifyRequest, path: string): Promise<string | undefined> {
  const passed = PASSED_ON.flatMap((name) => {
    const value = request.headers[name];
    return value === undefined ? [] : [[name, value]];
  });
  const { statusCode, body } = await request.server.inject({
    url: path,
    remoteAddress: request.socket.remoteAddress ?? '127.0.0.1',
    headers: { ...Object.fromEntries(passed), accept: 'application/json', 'x-sendloom': '1' },
  });
  return statusCode === 200 ? body : undefined;
}
