// Sends an email as an HTML page for a sandboxed frame: no scripts, no forms and an opaque origin,
// no matter what the email contains.
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

/** Renders the page of an email that has plain text only. */
export const renderPlainEmailPage = (text: string) => `<!doctype html>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<pre style="font:16px/1.5 system-ui,sans-serif;white-space:pre-wrap;max-width:70ch;margin:24px auto;padding:0 16px">${escapeHtml(text)}</pre>`;

const CACHE_SEVEN_DAYS = 'private, max-age=604800, immutable';

/**
 * @param cacheFor `'days'` for a built-in template, whose URL changes with the account's brand; an
 * account's email must not remain in the browser's cache after sign-out
 */
export function sendEmailPage(
  reply: FastifyReply,
  page: string,
  cacheFor: 'days' | 'never',
): FastifyReply {
  return (
    setPagePolicy(reply, POLICY)
      // Browsers warn that the opaque origin conflicts with the agent cluster of other pages.
      .removeHeader('origin-agent-cluster')
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': cacheFor === 'days' ? CACHE_SEVEN_DAYS : 'private, no-store',
        'x-robots-tag': 'noindex',
      })
      .send(page)
  );
}
