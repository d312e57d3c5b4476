// Responses embedded in a page of the web client: the session's user and the screen's first calls.
// Each saves a phone one round trip; calls that are not ready in time are left to the client.
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { clock } from '../clock.ts';

/** Maximum time that the page waits for the session's call, and then for the screen's calls. */
const MAX_MS = 100;
/** Every screen behind the sign-in requests the session's user. */
export const SESSION_CALL = '/client-api/api/users';
/**
 * How long a call that was late twice in a row for an account is left to the client. A late call
 * completes here and again for the client, so it costs the server twice and the page 100 ms. A
 * single late call may just mean that the process was busy.
 */
const SKIP_MS = 5 * 60_000;
const MAX_LATE = 10_000;
/**
 * Late calls by account and path, earliest first, each with the end of its skip period: 0 after the
 * first late call.
 */
const lateCalls = new Map<string, number>();
const SESSION_COOKIE = 'token';
const FORWARDED_HEADERS = ['cookie', 'user-agent', 'accept-language', 'x-forwarded-for'] as const;

/**
 * Returns the session's user and account as JSON; undefined if there is no session or the call is
 * late. This short call is never skipped.
 */
export async function readSessionResponse(request: FastifyRequest): Promise<string | undefined> {
  if (request.method !== 'GET' || !request.cookies[SESSION_COOKIE]) return undefined;
  const sessionResponse = await requestInTime(request, SESSION_CALL);
  return sessionResponse === 'late' ? undefined : sessionResponse?.body;
}

/**
 * Returns JSON response bodies by the path that the client will request; never rejects.
 * @param account of the session; '' if it has none
 */
export async function readEarlyResponses(
  request: FastifyRequest,
  paths: readonly string[],
  account: string,
): Promise<Record<string, string>> {
  const now = clock.now().getTime();
  const timelyPaths = paths.filter((path) => (lateCalls.get(`${account} ${path}`) ?? 0) <= now);
  const responses = await Promise.all(timelyPaths.map((path) => requestInTime(request, path)));
  return Object.fromEntries(
    timelyPaths.flatMap((path, i) => {
      const response = responses[i];
      if (account !== '') recordLateness(`${account} ${path}`, response === 'late');
      return response === 'late' || !response ? [] : [[path, response.body]];
    }),
  );
}

function recordLateness(call: string, isLate: boolean): void {
  const wasLate = lateCalls.delete(call);
  if (!isLate) return;
  lateCalls.set(call, wasLate ? clock.now().getTime() + SKIP_MS : 0);
  const [earliest] = lateCalls.keys();
  if (earliest !== undefined && lateCalls.size > MAX_LATE) lateCalls.delete(earliest);
}

/** Returns undefined for a failed call. */
function requestInTime(
  request: FastifyRequest,
  path: string,
): Promise<{ body: string } | undefined | 'late'> {
  const timeout = delay(MAX_MS, 'late' as const, { ref: false });
  return Promise.race([requestCall(request, path).catch(() => undefined), timeout]);
}

/** Makes the call with the headers of the browser that requested the page. */
async function requestCall(
  request: FastifyRequest,
  path: string,
): Promise<{ body: string } | undefined> {
  const forwardedHeaders = FORWARDED_HEADERS.flatMap((name) => {
    const value = request.headers[name];
    return value === undefined ? [] : [[name, value]];
  });
  const { statusCode, body } = await request.server.inject({
    url: path,
    remoteAddress: request.socket.remoteAddress ?? '127.0.0.1',
    headers: {
      ...Object.fromEntries(forwardedHeaders),
      accept: 'application/json',
      'x-sendloom': '1',
    },
  });
  return statusCode === 200 ? { body } : undefined;
}
