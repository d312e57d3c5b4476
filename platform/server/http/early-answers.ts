// Answers that a page of the web client brings along: who is signed in, and what its screen asks first. A phone's
// round to the server and back is then saved for each of them; what is not there in a moment is left to the client.
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';

/** A page waits no longer for them. */
const MOST_MS = 100;
const SESSION_COOKIE = 'token';
const PASSED_ON = ['cookie', 'user-agent', 'accept-language', 'x-forwarded-for'] as const;

/** By the path that the client will ask, the answer as JSON wrote it; none without a session. */
export async function earlyAnswers(
  request: FastifyRequest,
  paths: readonly string[],
): Promise<Record<string, string>> {
  if (request.method !== 'GET' || !request.cookies[SESSION_COOKIE]) return {};
  const late = delay(MOST_MS, undefined, { ref: false });
  const found = await Promise.all(
    paths.map((path) => Promise.race([answerOf(request, path).catch(() => undefined), late])),
  );
  return Object.fromEntries(
    paths.flatMap((path, i) => (found[i] === undefined ? [] : [[path, found[i]]])),
  );
}

/** As if the browser that asked for the page had asked for this, too. */
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
