// Serves 'View in browser', which renders a copy again with the same links. The page is sandboxed
// (an opaque origin, no scripts), no matter what its author wrote into it.
import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import { showMessage } from '#areas/content/server/index.ts';
import {
  getInstallationTokens,
  sendFailedLink,
  sendUnknownLink,
  type TokenPayload,
} from '#areas/tracking/server/index.ts';
import { LOCALE } from '#platform/languages.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { type PagePolicy, setPagePolicy } from '#platform/server/http/page-policy.ts';
import { AppError } from '#platform/server/errors.ts';
import { escapeHtml } from '#platform/server/http/public-page.ts';
import { getMessageKindRules } from '../../message-kinds.ts';
import { type MessageCopy, readCopy } from './copies.ts';

const POLICY: PagePolicy = {
  sandbox: 'allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation',
  images: ['http:', 'https:', 'data:'],
  styles: ["'unsafe-inline'", 'http:', 'https:'],
  fonts: ['http:', 'https:', 'data:'],
  framing: 'self',
};

export const viewInBrowserPlugin: FastifyPluginAsync = async (app) => {
  const pages = { sendNotFound: sendUnknownLink, sendError: sendFailedLink };
  app.publicPages.push({ pathPrefix: '/v/', ...pages });
  app.get<{ Params: { token: string } }>('/v/:token', async (request, reply) => {
    const { token } = request.params;
    const payload = getInstallationTokens().read(token);
    const copy = payload && (await inTransaction(app.db, (tx) => readCopy(tx, payload)));
    if (!payload || !copy || getMessageKindRules(copy.kind).isOwn)
      return sendUnknownLink(request, reply);
    const page = await pageOf(copy, payload, token).catch((error: unknown) => {
      if (isTooSlow(error)) return undefined;
      throw error;
    });
    if (page === undefined) return sendFailedLink(request, reply, 503);
    return send(reply, page, LOCALE[copy.frozen.source.language]);
  });
};

async function pageOf(
  { frozen, values }: MessageCopy,
  payload: TokenPayload,
  token: string,
): Promise<string> {
  const recipient = {
    email: typeof values.email === 'string' ? values.email : '',
    token,
    message_token: getInstallationTokens().make(payload, 'messageId'),
    values,
  };
  const source = { ...frozen.source, message_id: payload.message };
  const options = { isForStrangers: true };
  const { html, text } = await showMessage(source, recipient, clock.now(), options);
  return html ?? plainPage(text);
}

const isTooSlow = (error: unknown) =>
  error instanceof AppError && error.code === 'document_too_slow';

const plainPage = (text: string) => `<!doctype html>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<pre style="font:16px/1.5 system-ui,sans-serif;white-space:pre-wrap;max-width:70ch;margin:24px auto;padding:0 16px">${escapeHtml(text)}</pre>`;

function send(reply: FastifyReply, page: string, locale: string): FastifyReply {
  return setPagePolicy(reply, POLICY)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-language': locale,
      'cache-control': 'no-store, private',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
    })
    .send(page);
}
