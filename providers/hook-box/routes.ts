// The built-in webhook receiver: stores the last hundred deliveries, verifies their signatures, and
// simulates failures on request: `/hook-box/in?answer=500`, `hang`, `redirect`, `large`, `410`. It
// serves loopback peers only: other peers get a 404, as if it were not running.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { Language } from '#platform/languages.ts';
import { requestLanguage } from '#platform/server/http/errors.ts';
import { escapeHtml } from '#platform/server/http/public-page.ts';
import { requireThisMachine } from '#platform/server/http/this-machine.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { sendToolPage, toolTime } from '../tool-page.ts';

export type HookDelivery = {
  id: number;
  at: Date;
  path: string;
  topic: string;
  webhookId: string;
  signature: 'valid' | 'invalid';
  answer: number;
  body: string;
};

/** Whether the headers contain a valid signature of this body. */
export type CheckSignature = (
  app: FastifyInstance,
  headers: FastifyRequest['headers'],
  body: string,
) => Promise<boolean>;

const MAX_STORED = 100;
const HANG_MS = 60_000;
const LARGE_BYTES = 10 * 1024 * 1024;

export function hookBoxRoutes(check: CheckSignature): FastifyPluginAsync {
  return async (app) => {
    let deliveries: HookDelivery[] = [];
    let lastId = 0;
    app.addHook('onRequest', requireThisMachine);
    app.addHook('onSend', async (_, reply) => {
      reply.header('cache-control', 'no-store');
    });
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) =>
      done(null, body),
    );
    app.post<{ Querystring: { answer?: string } }>('/hook-box/in', receive);
    app.post<{ Querystring: { answer?: string } }>('/hook-box/in/*', receive);
    /** {data: [{id, at, path, topic, webhookId, signature, answer, body}]}, newest first. */
    app.get('/hook-box/api/deliveries', async () => ({ data: deliveries.toReversed() }));
    app.delete('/hook-box/api/deliveries', async () => {
      deliveries = [];
      return { success: true };
    });
    app.get('/hook-box', async (request, reply) => {
      const language = requestLanguage(request);
      const address = `${request.protocol}://${request.headers.host ?? ''}/hook-box/in`;
      return sendToolPage(reply, {
        language,
        tool: 'hooks',
        title: serverTexts('platform', language)('tools.hooks'),
        mainHtml: mainHtml(language, deliveries.toReversed(), address),
      });
    });

    async function receive(
      request: FastifyRequest<{ Querystring: { answer?: string } }>,
      reply: FastifyReply,
    ) {
      const body = typeof request.body === 'string' ? request.body : '';
      const { headers } = request;
      const answer = request.query.answer ?? '200';
      const status = answer === 'redirect' ? 302 : Number(answer) || 200;
      const isValid = await check(app, headers, body).catch(() => false);
      deliveries.push({
        id: ++lastId,
        at: new Date(),
        path: request.url,
        topic: String(headers['x-topic'] ?? ''),
        webhookId: String(headers['webhook-id'] ?? ''),
        signature: isValid ? 'valid' : 'invalid',
        answer: status,
        body,
      });
      deliveries = deliveries.slice(-MAX_STORED);
      if (answer === 'hang') await sleep(HANG_MS, undefined, { ref: false });
      if (answer === 'redirect') return reply.redirect('/hook-box', 302);
      if (answer === 'large') return reply.type('text/plain').send('x'.repeat(LARGE_BYTES));
      return reply.status(status >= 200 && status < 600 ? status : 200).send({ received: true });
    }
  };
}

/** Values of `?answer=` described on the page. */
const RESPONSES = ['500', '410', 'redirect', 'hang', 'large'] as const;

function mainHtml(language: Language, deliveries: readonly HookDelivery[], address: string) {
  const t = serverTexts('hook-box', language);
  const responseRows = RESPONSES.map(
    (answer) => `<dt><code>?answer=${answer}</code></dt><dd>${t(`answers.${answer}`)}</dd>`,
  );
  const rows = deliveries.map(
    ({ at, topic, signature, answer, body, path }) =>
      `<article class="box"><h2><bdi>${escapeHtml(topic || path)}</bdi></h2>
<p class="muted">${toolTime(language, at)} · <span class="${signature === 'valid' ? 'good' : 'bad'}">${t(signature)}</span> · ${t('answered', { status: `<bdi>${answer}</bdi>` })}</p>
<pre dir="ltr" tabindex="0">${escapeHtml(pretty(body))}</pre></article>`,
  );
  return `<p>${t('about', { address: `<code>${escapeHtml(address)}</code>` })}</p>
<p><a href="/settings/webhooks">${t('add')}</a></p>
<section class="box"><h2>${t('answersTitle')}</h2><p class="muted">${t('answersText')}</p><dl>${responseRows.join('')}</dl></section>
${rows.join('') || `<p class="box muted">${t('empty')}</p>`}`;
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
