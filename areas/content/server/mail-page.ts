// A mail as a page of nowhere, for thumbnails in sandboxed frames: no script, no forms, an origin of
// its own, whatever its author wrote into it.
import type { FastifyReply } from 'fastify';

const POLICY = [
  'sandbox',
  "default-src 'none'",
  'img-src http: https: data:',
  "style-src 'unsafe-inline' https:",
  'font-src https: data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

/** @param isVersioned its address changes with what it shows: a browser may keep it */
export function sendMailPage(
  reply: FastifyReply,
  page: string,
  isVersioned: boolean,
): FastifyReply {
  return reply
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      'cache-control': isVersioned ? 'private, max-age=604800, immutable' : 'private, no-cache',
      'x-robots-tag': 'noindex',
    })
    .send(page);
}
