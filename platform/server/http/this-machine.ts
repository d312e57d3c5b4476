// Requests of this machine itself, which nothing stands before: all that the built-ins answer.
import type { FastifyRequest } from 'fastify';
import { notFound } from '../errors.ts';

const FORWARDING =
  /^(?:forwarded|via|x-forwarded.*|x-real-ip|x-(?:original|cluster|client).*|(?:true-client|cf-connecting|fastly-client)-ip)$/;

/** Names of this machine, as browsers and scripts on it write them. */
const HERE = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Somebody stands before this server, and says so; nginx by its old protocol where it says nothing else. */
function isForwarded({ raw }: FastifyRequest): boolean {
  return (
    raw.httpVersion === '1.0' || Object.keys(raw.headers).some((name) => FORWARDING.test(name))
  );
}

/**
 * Asked here, for here, and by nobody else's wish. A proxy on this machine connects from loopback, too, and may
 * ask for it by its own address: browsers then still name the page that they write from.
 */
export function isFromThisMachine(request: FastifyRequest): boolean {
  const { headers, socket } = request.raw;
  const { remoteAddress: from = '' } = socket;
  const isNear = from === '::1' || /^(::ffff:)?127\./.test(from);
  const isHere = (url: string) => URL.canParse(url) && HERE.test(new URL(url).hostname);
  const isForHere = isHere(`http://${headers.host ?? ''}`);
  const isByHere = headers.origin === undefined || isHere(headers.origin);
  return isNear && isForHere && isByHere && !isForwarded(request);
}

/**
 * Whether the answer's cookies may travel by https alone: wherever this installation is reached by it, also
 * where a proxy in front says nothing of that. Whoever looks at it here, by http, needs them without.
 */
export function wantsSecureCookies(request: FastifyRequest): boolean {
  if (request.protocol === 'https') return true;
  return request.server.isHttps && !isFromThisMachine(request);
}

/** For the built-ins' own plugins: everybody else gets the same 404 as where there is none. */
export async function refuseOthers(request: FastifyRequest): Promise<void> {
  if (!isFromThisMachine(request)) throw notFound();
}
