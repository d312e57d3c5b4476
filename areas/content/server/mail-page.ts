// A mail as a page of nowhere, for thumbnails in sandboxed frames: no script, no forms, an origin of
// its own, whatever its author wrote into it.
import type { FastifyReply } from 'fastify';
import { type PagePolicy, setPagePolicy } from '#platform/server/http/page-policy.ts';
import { escapeHtml } from './html-scanner.ts';

const POLICY: PagePolicy = {
  sandbox: '',
  images: ['http:', 'https:', 'data:'],
  styles: ["'unsafe-inline'", 'http:', 'https:'],
  fonts: ['http:', 'https:', 'data:'],
  framing: 'self',
};

/** A mail without HTML. */
export const plainMailPage = (text: string) => `<!doctype html>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<pre style="font:16px/1.5 system-ui,sans-serif;white-space:pre-wrap;max-width:70ch;margin:24px auto;padding:0 16px">${escapeHtml(text)}</pre>`;

const DAYS = 'private, max-age=604800, immutable';

/**
 * @param cached `'days'` for a template that everybody has, under an address that changes with it; an account's own
 *   email must not stay in the browser's cache after its session ended
 */
export function sendMailPage(
  reply: FastifyReply,
  page: string,
  cached: 'days' | 'never',
): FastifyReply {
  return (
    setPagePolicy(reply, POLICY)
      // Its origin is nowhere; the pages around it ask for no cluster of their own, and browsers warn.
      .removeHeader('origin-agent-cluster')
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': cached === 'days' ? DAYS : 'private, no-store',
        'x-robots-tag': 'noindex',
      })
      .send(page)
  );
}
