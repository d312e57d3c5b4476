// Serves the built-in phone over HTTP: conversations to read and reply to, and a small API for
// scripts and tests. Only direct requests from this machine are served; others get a 404, as if
// there were no phone.
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { requestLanguage } from '#platform/server/http/errors.ts';
import { requireThisMachine } from '#platform/server/http/this-machine.ts';
import { log } from '#platform/server/log.ts';
import { PHONE_SCRIPT, phonePage } from './page.ts';
import { MODES, type PhoneStore, type PhoneSms } from './store.ts';

const SLOW_MS = 4_000;

/** Callbacks that the built-in phone uses to report events, like a provider. */
export type PhoneCallbacks = {
  /** Reports an incoming SMS; an automatic response to it arrives like any SMS. */
  onInbound(
    app: FastifyInstance,
    text: { from: string; to: string; text: string; eventId: string; at: Date },
  ): Promise<void>;
  /** Reports whether an SMS was delivered. */
  onReport(
    app: FastifyInstance,
    report: { reference: string; remoteId: string; isDelivered: boolean; at: Date; error?: string },
  ): Promise<void>;
};

type PhoneForm = { from?: string; to?: string; text?: string; parts?: number; reference?: string };

export function phoneRoutes(store: PhoneStore, callbacks: PhoneCallbacks): FastifyPluginAsync {
  return async (app) => {
    app.addHook('onRequest', requireThisMachine);
    app.addHook('onSend', async (_, reply) => {
      reply.header('cache-control', 'no-store');
      // The phone's own forms send their origin (see this-machine.ts); other sites get none.
      reply.header('referrer-policy', 'same-origin');
    });
    app.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
    );
    addApi(app, store, callbacks);
    addPage(app, store, callbacks);
  };
}

function addApi(app: FastifyInstance, store: PhoneStore, callbacks: PhoneCallbacks): void {
  /** {data: [{id, direction, from, to, text, parts, at}]}, newest first. */
  app.get<{ Querystring: { to?: string } }>('/phone/api/messages', async (request) => ({
    data: store.list(request.query.to?.replace(/^ /, '+')).map(toApi),
  }));
  /**
   * Receives an SMS from the sender, then replies and reports delivery according to the phone's
   * mode.
   */
  app.post<{ Body: PhoneForm }>('/phone/api/messages', async (request) => {
    const { from = '', to = '', text = '', parts = 1, reference = '' } = request.body ?? {};
    const { mode } = store;
    if (mode === 'slow') await sleep(SLOW_MS);
    const sms = store.add({ direction: 'out', from, to, text, parts, at: new Date() });
    if (mode === 'silent') await sleep(60_000);
    const isDelivered = mode !== 'failed';
    const report = { reference, remoteId: `phone-${sms.id}`, isDelivered, at: sms.at };
    const error = isDelivered ? {} : { error: 'Handset is switched off' };
    setTimeout(
      () =>
        void callbacks
          .onReport(app, { ...report, ...error })
          .catch((failure: Error) =>
            log.warn('Built-in phone could not report an SMS', { reason: failure.message }),
          ),
      mode === 'slow' ? SLOW_MS : 0,
    ).unref();
    return { id: sms.id };
  });
  /** Replies as if from the phone with this number. */
  app.post<{ Body: PhoneForm }>('/phone/api/replies', async (request, reply) => {
    const { from = '', to = '', text = '' } = request.body ?? {};
    if (from === '' || to === '') return reply.status(422).send({ code: 'invalid' });
    return { data: await sendReply(app, store, callbacks, { from, to, text }) };
  });
  /** Sets the mode: normal, slow, silent or failed. */
  app.post<{ Body: { mode?: string } }>('/phone/api/mode', async (request, reply) => {
    if (!setMode(store, request.body?.mode)) return reply.status(422).send({ code: 'invalid' });
    return { data: { mode: store.mode } };
  });
}

function addPage(app: FastifyInstance, store: PhoneStore, callbacks: PhoneCallbacks): void {
  app.get<{ Querystring: { with?: string } }>('/phone', async (request, reply) =>
    reply
      .header(
        'content-security-policy',
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; form-action 'self'",
      )
      .type('text/html; charset=utf-8')
      .send(phonePage(store, requestLanguage(request), request.query.with)),
  );
  app.get('/phone/phone.js', async (_, reply) =>
    reply.type('text/javascript; charset=utf-8').send(PHONE_SCRIPT),
  );
  app.post<{ Body: PhoneForm }>('/phone/reply', async ({ body }, reply) => {
    const { from = '', to = '', text = '' } = body ?? {};
    if (from !== '' && to !== '') await sendReply(app, store, callbacks, { from, to, text });
    return reply.redirect(`/phone?with=${encodeURIComponent(from)}`, 303);
  });
  app.post<{ Body: { mode?: string } }>('/phone/mode', async ({ body }, reply) => {
    setMode(store, body?.mode);
    return reply.redirect('/phone', 303);
  });
}

async function sendReply(
  app: FastifyInstance,
  store: PhoneStore,
  callbacks: PhoneCallbacks,
  message: { from: string; to: string; text: string },
) {
  const { from, to, text } = message;
  const sms = store.add({ direction: 'in', from, to, text, parts: 1, at: new Date() });
  const eventId = `phone-${process.pid}-${sms.id}-${sms.at.getTime()}`;
  await callbacks.onInbound(app, { ...message, eventId, at: sms.at });
  return toApi(sms);
}

function setMode(store: PhoneStore, requestedMode: string | undefined): boolean {
  const mode = MODES.find((mode) => mode === requestedMode);
  if (mode) store.mode = mode;
  return mode !== undefined;
}

const sleep = (ms: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, ms).unref();
  });

const toApi = ({ at, ...others }: PhoneSms) => ({ ...others, at: at.toISOString() });
