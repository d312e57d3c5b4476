// Sends an email as a page for sandboxed frames: no scripts, no forms and an opaque origin, for any
// content.
import type { FastifyReply } from 'fastify';
import { type PagePolicy, setPagePolicy } from '#platform/server/http/page-policy.ts';
import { escapeHtml } from './html/character-references.ts';

const POLICY: PagePolicy = {
  sandbox: '',
  images: ['http:', 'https:', 'data:'],
  styles: ["'unsafe-inline'", 'http:', 'https:'],
  fonts: ['http:', 'https:', 'data:'],
  framing: 'self',
};

/** The page of an email without HTML. */
export const plainEmailPage = (text: string) => `<!doctype html>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<pre style="font:16px/1.5 system-ui,sans-serif;white-space:pre-wrap;max-width:70ch;margin:24px auto;padding:0 16px">${escapeHtml(text)}</pre>`;

const DAYS = 'private, max-age=604800, immutable';

/**
 * @param cached `'days'` for a built-in template, under a URL that changes with it; an account's
 * own email must not remain in the browser's cache after logout
 */
export function sendEmailPage(
  reply: FastifyReply,
  page: string,
  cached: 'days' | 'never',
): FastifyReply {
  return (
    setPagePolicy(reply, POLICY)
      // The opaque origin conflicts with the agent cluster of other pages, about which browsers
      // warn.
      .removeHeader('origin-agent-cluster')
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': cached === 'days' ? DAYS : 'private, no-store',
        'x-robots-tag': 'noindex',
      })
      .send(page)
  );
}
