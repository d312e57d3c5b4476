// Recognizes direct requests from this machine; the built-in tools respond to no others.
import type { FastifyRequest } from 'fastify';
import { notFound } from '../errors.ts';

const FORWARDING =
  /^(?:forwarded|via|x-forwarded.*|x-real-ip|x-(?:original|cluster|client).*|(?:true-client|cf-connecting|fastly-client)-ip)$/;

/** Host names and addresses that browsers and scripts on this machine use to reach it. */
const LOCAL_HOST = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * Returns true if the headers or the HTTP version show that a proxy forwarded the request. An nginx
 * that sets no header is recognized by HTTP/1.0.
 */
function isForwarded({ raw }: FastifyRequest): boolean {
  return (
    raw.httpVersion === '1.0' || Object.keys(raw.headers).some((name) => FORWARDING.test(name))
  );
}

/**
 * Returns true if the request was sent from this machine to this machine and not on behalf of
 * another site. A proxy on this machine also connects from loopback and may send its own host name,
 * but browsers still send the origin of their page.
 */
export function isFromThisMachine(request: FastifyRequest): boolean {
  const { headers, socket } = request.raw;
  const { remoteAddress: from = '' } = socket;
  const isNear = from === '::1' || /^(::ffff:)?127\./.test(from);
  const isHere = (url: string) => URL.canParse(url) && LOCAL_HOST.test(new URL(url).hostname);
  const isForHere = isHere(`http://${headers.host ?? ''}`);
  const isSameOrigin = headers.origin === undefined || isHere(headers.origin);
  return isNear && isForHere && isSameOrigin && !isForwarded(request);
}

/**
 * Returns true if cookies of the response must be https-only: whenever this installation is
 * reachable by https, even if a proxy does not report it. False for direct http requests from this
 * machine.
 */
export function needsSecureCookies(request: FastifyRequest): boolean {
  if (request.protocol === 'https') return true;
  return request.server.isHttps && !isFromThisMachine(request);
}

/**
 * Restricts a built-in tool's plugin to this machine: other clients get a 404, as if the tool did
 * not exist.
 */
export async function requireThisMachine(request: FastifyRequest): Promise<void> {
  if (!isFromThisMachine(request)) throw notFound();
}
