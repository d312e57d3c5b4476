// Serves the inbox over HTTP: its pages, and a small API for scripts and tests. Only loopback peers
// with a loopback Host are served; other requests get a 404, as if there were no inbox.
import type { FastifyInstance, FastifyPluginAsync, FastifyReply } from 'fastify';
import { notFound } from '#platform/server/errors.ts';
import { requireThisMachine } from '#platform/server/http/this-machine.ts';
import { requestLanguage } from '#platform/server/http/errors.ts';
import type { Inbox } from './inbox.ts';
import { addInboxFiles } from './page/files.ts';
import { listPage } from './page/list.ts';
import { renderMessagePage } from './page/message.ts';
import { HTML_POLICY, htmlDocument, parseEmail } from './page/email.ts';
import type { InboxEntry } from './segment.ts';

const PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 1_000;

interface ListQuery {
  to?: string;
  subject?: string;
  q?: string;
  limit?: string;
  offset?: string;
}

export function inboxRoutes(inbox: Inbox): FastifyPluginAsync {
  return async (app) => {
    app.addHook('onRequest', requireThisMachine);
    app.addHook('onSend', async (_, reply) => {
      reply.header('cache-control', reply.getHeader('cache-control') ?? 'no-store');
      reply.header('referrer-policy', 'no-referrer');
    });
    addApi(app, inbox);
    addPages(app, inbox);
    addInboxFiles(app);
  };
}

function addApi(app: FastifyInstance, { store }: Inbox): void {
  /** {data: [{id, from, to, subject, received_at, size}], total, limit, offset}, newest first. */
  app.get<{ Querystring: ListQuery }>('/inbox/api/messages', async (request) => {
    const { limit, offset } = pageOf(request.query);
    const matches = store.list({ ...searchOf(request.query), limit, offset });
    return { data: matches.messages.map(toApi), total: matches.total, limit, offset };
  });

  /**
   * Responds with the source as received, or with {data: {…, source}} if the caller accepts JSON.
   */
  app.get<{ Params: { id: string } }>('/inbox/api/messages/:id', async (request, reply) => {
    const { entry, source } = messageOf(store, request.params.id);
    if (request.headers.accept?.includes('application/json')) {
      return { data: { ...toApi(entry), source: source.toString('utf8') } };
    }
    return reply.type('text/plain; charset=utf-8').send(source);
  });
}

function addPages(app: FastifyInstance, inbox: Inbox): void {
  const { store } = inbox;

  app.get<{ Querystring: ListQuery }>('/inbox', async (request, reply) => {
    const { offset } = pageOf(request.query);
    const text = searchOf(request.query).text ?? '';
    const matches = store.list({ text, limit: PAGE_SIZE, offset });
    const language = requestLanguage(request);
    const page = {
      ...matches,
      text,
      offset,
      limit: PAGE_SIZE,
      storedCount: store.total,
      port: inbox.port,
    };
    return html(reply, listPage(language, page));
  });

  app.get<{ Params: { id: string }; Querystring: { view?: string } }>(
    '/inbox/messages/:id',
    async (request, reply) => {
      const { entry, source } = messageOf(store, request.params.id);
      const email = await parseEmail(source);
      const neighbors = {
        newerId: store.entry(entry.id + 1)?.id,
        olderId: store.entry(entry.id - 1)?.id,
      };
      const page = { entry, source, email, view: request.query.view, ...neighbors };
      return html(reply, renderMessagePage(requestLanguage(request), page));
    },
  );

  app.get<{ Params: { id: string } }>('/inbox/messages/:id/html', async (request, reply) => {
    const email = await parseEmail(messageOf(store, request.params.id).source);
    return reply
      .header('content-security-policy', HTML_POLICY)
      .type('text/html; charset=utf-8')
      .send(htmlDocument(email));
  });

  app.get<{ Params: { id: string; number: string } }>(
    '/inbox/messages/:id/attachments/:number',
    async (request, reply) => {
      const email = await parseEmail(messageOf(store, request.params.id).source);
      const attachment = email.attachments[Number(request.params.number)];
      if (!attachment) {
        throw notFound();
      }
      const name = encodeURIComponent(attachment.name);
      return reply
        .header('content-disposition', `attachment; filename*=UTF-8''${name}`)
        .type('application/octet-stream')
        .send(attachment.content);
    },
  );
}

function html(reply: FastifyReply, page: string): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(page);
}

function toApi({ id, from, to, subject, receivedAt, size }: InboxEntry) {
  return {
    id: String(id),
    from,
    to,
    subject,
    received_at: new Date(receivedAt).toISOString(),
    size,
  };
}

function messageOf(store: Inbox['store'], id: string): { entry: InboxEntry; source: Buffer } {
  const number = /^[1-9]\d{0,14}$/.test(id) ? Number(id) : 0;
  const entry = store.entry(number);
  const source = entry && store.source(number);
  if (!entry || !source) {
    throw notFound();
  }
  return { entry, source };
}

function pageOf({ limit, offset }: ListQuery): { limit: number; offset: number } {
  return {
    limit: Math.max(1, Math.min(MAX_PAGE_SIZE, parseCount(limit) ?? PAGE_SIZE)),
    offset: parseCount(offset) ?? 0,
  };
}

function parseCount(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function searchOf({ to, subject, q }: ListQuery) {
  return {
    ...(typeof to === 'string' ? { to } : {}),
    ...(typeof subject === 'string' ? { subject } : {}),
    ...(typeof q === 'string' ? { text: q } : {}),
  };
}
