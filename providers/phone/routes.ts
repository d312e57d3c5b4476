// The built-in phone over HTTP: conversations to read and answer, and a small API for scripts and journeys.
// Loopback peers with a loopback Host only: everybody else gets the same 404 as where there is no phone.
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import { notFound } from '#platform/server/errors.ts';
import type { PhoneStore, PhoneText } from './store.ts';

const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;
const PEERS = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);

/** Tells the area of texts what somebody answered. */
export type TakeReply = (
  app: FastifyInstance,
  reply: { from: string; to: string; text: string; eventId: string; at: Date },
) => Promise<string | undefined>;

export function phoneRoutes(store: PhoneStore, take: TakeReply): FastifyPluginAsync {
  return async (app) => {
    app.addHook('onRequest', async (request) => {
      if (!isFromHere(request)) throw notFound();
    });
    app.addHook('onSend', async (_, reply) => {
      reply.header('cache-control', 'no-store');
      reply.header('referrer-policy', 'no-referrer');
    });
    /** {data: [{id, direction, from, to, text, parts, at}]}, newest first. */
    app.get<{ Querystring: { to?: string } }>('/phone/api/messages', async (request) => ({
      data: store.list(request.query.to?.replace(/^ /, '+')).map(presented),
    }));
    app.post<{ Body: Partial<PhoneText> }>('/phone/api/messages', async (request) => {
      const { from = '', to = '', text = '', parts = 1 } = request.body ?? {};
      const one = store.add({ direction: 'out', from, to, text, parts, at: new Date() });
      return { id: one.id };
    });
    /** As if the person with this number had answered. */
    app.post<{ Body: { from?: string; to?: string; text?: string } }>(
      '/phone/api/replies',
      async (request, reply) => {
        const { from = '', to = '', text = '' } = request.body ?? {};
        if (from === '' || to === '') return reply.status(422).send({ code: 'invalid' });
        const one = store.add({ direction: 'in', from, to, text, parts: 1, at: new Date() });
        const eventId = `phone-${process.pid}-${one.id}-${one.at.getTime()}`;
        const answer = await take(app, { from, to, text, eventId, at: one.at });
        if (answer)
          store.add({
            direction: 'out',
            from: to,
            to: from,
            text: answer,
            parts: 1,
            at: new Date(),
          });
        return { data: presented(one), answer: answer ?? null };
      },
    );
    app.get('/phone', async (_, reply) =>
      reply
        .header(
          'content-security-policy',
          "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'",
        )
        .type('text/html; charset=utf-8')
        .send(page(store.list())),
    );
    app.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
    );
    app.post<{ Body: { from?: string; to?: string; text?: string } }>(
      '/phone/reply',
      async (request, reply) => {
        await app.inject({
          method: 'POST',
          url: '/phone/api/replies',
          headers: { host: 'localhost' },
          payload: request.body ?? {},
        });
        return reply.redirect('/phone', 303);
      },
    );
  };
}

function isFromHere({ ip, headers }: FastifyRequest): boolean {
  return (
    PEERS.has(ip) && LOOPBACK.test(headers.host ?? '') && headers['x-forwarded-for'] === undefined
  );
}

const presented = ({ at, ...text }: PhoneText) => ({ ...text, at: at.toISOString() });

/** Conversations, the newest first: each person with a number, and a field to answer. */
function page(texts: readonly PhoneText[]): string {
  const conversations = new Map<string, PhoneText[]>();
  for (const one of texts) {
    const [person, number] = one.direction === 'out' ? [one.to, one.from] : [one.from, one.to];
    const key = `${person} ${number}`;
    conversations.set(key, [...(conversations.get(key) ?? []), one]);
  }
  const shown = [...conversations].slice(0, 100).map(([key, list]) => {
    const [person = '', ...rest] = key.split(' ');
    const number = rest.join(' ');
    const bubbles = list
      .slice(0, 20)
      .toReversed()
      .map((one) => `<p class="${one.direction}" dir="auto">${escape(one.text)}</p>`)
      .join('');
    return `<section><h2>${escape(person)} ↔ ${escape(number)}</h2>${bubbles}
<form method="post" action="/phone/reply"><input type="hidden" name="from" value="${escape(person)}">
<input type="hidden" name="to" value="${escape(number)}"><input name="text" aria-label="Reply" required>
<button>Reply</button></form></section>`;
  });
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Phone</title><style>${STYLE}</style><main><h1>Phone</h1>
${shown.join('') || '<p>No texts yet. What is sent stays here.</p>'}</main></html>`;
}

const STYLE = `body{font:16px/1.5 system-ui;margin:0;background:#f3f4f6;color:#111}main{max-width:720px;margin:auto;padding:16px}
section{background:#fff;border-radius:12px;padding:16px;margin:0 0 16px}h2{font-size:16px;margin:0 0 12px}
p.out,p.in{white-space:pre-wrap;overflow-wrap:anywhere;padding:8px 12px;border-radius:14px;margin:6px 0;max-width:85%}
p.out{background:#e5e7eb}p.in{background:#1d4ed8;color:#fff;margin-inline-start:auto}
form{display:flex;gap:8px;margin-top:12px}input[name=text]{flex:1;min-width:0;font:inherit;padding:8px}button{font:inherit;padding:8px 14px}
@media(prefers-color-scheme:dark){body{background:#111;color:#eee}section{background:#1f2937}p.out{background:#374151}}`;

const escape = (text: string) =>
  text.replace(
    /[&<>"]/g,
    (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? '',
  );
