// The built-in webhook receiver: keeps the last hundred deliveries, verifies their signatures, and
// can answer badly: `/hook-box/in?answer=500`, `hang`, `redirect`, `large`, `410`. Loopback peers
// only: all others get the same 404 as where it does not run.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { TEST_TOOL_LINKS_STYLE, testToolLinks } from '#platform/server/http/test-tool-links.ts';
import { refuseOthers } from '#platform/server/http/this-machine.ts';

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
    let last = 0;
    app.addHook('onRequest', refuseOthers);
    app.addHook('onSend', async (_, reply) => {
      reply.header('cache-control', 'no-store');
    });
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) =>
      done(null, body),
    );
    app.post<{ Querystring: { answer?: string } }>('/hook-box/in', take);
    app.post<{ Querystring: { answer?: string } }>('/hook-box/in/*', take);
    /** {data: [{id, at, path, topic, webhookId, signature, answer, body}]}, newest first. */
    app.get('/hook-box/api/deliveries', async () => ({ data: deliveries.toReversed() }));
    app.delete('/hook-box/api/deliveries', async () => {
      deliveries = [];
      return { success: true };
    });
    app.get('/hook-box', async (_, reply) =>
      reply
        .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
        .type('text/html; charset=utf-8')
        .send(page(deliveries.toReversed())),
    );

    async function take(
      request: FastifyRequest<{ Querystring: { answer?: string } }>,
      reply: FastifyReply,
    ) {
      const body = typeof request.body === 'string' ? request.body : '';
      const { headers } = request;
      const answer = request.query.answer ?? '200';
      const status = answer === 'redirect' ? 302 : Number(answer) || 200;
      const isValid = await check(app, headers, body).catch(() => false);
      deliveries.push({
        id: ++last,
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

function page(deliveries: readonly HookDelivery[]): string {
  const rows = deliveries.map(
    ({ at, topic, signature, answer, body, path }) => `<article><h2>${escape(topic || path)}</h2>
<p><time>${at.toISOString()}</time> · ${signature === 'valid' ? 'signature holds' : '<strong>invalid signature</strong>'} · answered ${answer}</p>
<pre dir="ltr" tabindex="0">${escape(pretty(body))}</pre></article>`,
  );
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Hook box</title><style>${STYLE}${TEST_TOOL_LINKS_STYLE}</style>${testToolLinks('eng', 'hooks')}<main><h1>Hook box</h1>
<p>A receiver of webhooks to try with. Add <code>/hook-box/in</code> of this address as a webhook. It answers badly where you ask for it: <code>?answer=500</code>, <code>hang</code>, <code>redirect</code>, <code>large</code>, <code>410</code>.</p>
${rows.join('') || '<p>No requests received yet.</p>'}</main></html>`;
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

const STYLE = `body{font:16px/1.5 system-ui;margin:0;background:#f3f4f6;color:#111}main{max-width:860px;margin:auto;padding:16px}
article{background:#fff;border-radius:12px;padding:16px;margin:0 0 16px}h2{font-size:16px;margin:0}article p{margin:4px 0 8px;color:#4b5563}
pre{overflow:auto;max-height:320px;background:#f3f4f6;padding:12px;border-radius:8px;font-size:13px;margin:0}strong{color:#b91c1c}
@media(prefers-color-scheme:dark){body{background:#111;color:#eee}article{background:#1f2937}article p{color:#9ca3af}pre{background:#111827}strong{color:#f87171}}`;

const escape = (text: string) =>
  text.replace(
    /[&<>"]/g,
    (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? '',
  );
