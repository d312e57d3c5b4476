// Serves the test gateway over HTTP to this machine only: its API, the bank's challenge page, and a
// page of all charges, where charges can be refunded, disputed and reported again.
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '#platform/server/errors.ts';
import { requestLanguage } from '#platform/server/http/errors.ts';
import { requireThisMachine } from '#platform/server/http/this-machine.ts';
import { log } from '#platform/server/log.ts';
import { SIGNATURE, sign } from './client.ts';
import { type Charge, type GatewayLedger, NUMBERS } from './ledger.ts';
import { sendToolPage } from '../tool-page.ts';
import { bankPage, chargesPage } from './pages.ts';

type Options = {
  ledger: GatewayLedger;
  /** The product's own URL for webhooks of the test gateway. */
  hooks: string;
};
type ChargeRoute = { Params: { id: string } };

export function testGatewayPlugin({ ledger, hooks }: Options): FastifyPluginAsync {
  return async (app) => {
    app.addHook('onRequest', requireThisMachine);
    app.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      (_, body, done) => done(null, Object.fromEntries(new URLSearchParams(body as string))),
    );
    addCalls(app, ledger);
    addPages(app, ledger, (charge, kind, time) => sendHook(hooks, charge, kind, time));
  };
}

type HookKind = 'charge' | 'dispute';

async function sendHook(
  hooks: string,
  charge: Charge,
  kind: HookKind,
  time = Date.now(),
): Promise<void> {
  const body = JSON.stringify({
    key: `${kind} ${charge.id} ${charge.state} ${time}`,
    kind,
    chargeKey: charge.key,
  });
  const headers = { 'content-type': 'application/json', [SIGNATURE]: sign(body) };
  await fetch(hooks, {
    method: 'POST',
    headers,
    body,
    signal: AbortSignal.timeout(10_000),
  }).catch((error: unknown) =>
    log.warn('Test gateway could not report a charge', { reason: (error as Error).message }),
  );
}

/** Adds the API for the card form and the product. */
function addCalls(app: FastifyInstance, ledger: GatewayLedger): void {
  app.post<{ Body: { number?: string; month?: number; year?: number } }>(
    '/gateway/tokenize',
    async (request, reply) => {
      const { number = '', month = 1, year = 2030 } = request.body ?? {};
      const nonce = ledger.tokenize(String(number), Number(month), Number(year));
      return nonce ? { nonce } : reply.status(422).send({ error: 'no card number' });
    },
  );
  app.post('/gateway/api/charges', async (request, reply) => {
    const chargeRequest = request.body as Parameters<GatewayLedger['charge']>[0];
    const isNew = !ledger.find(chargeRequest.key);
    const charge = await ledger.charge(chargeRequest);
    if (isNew && charge.last4 === NUMBERS.silent.slice(-4)) return hangUp(request, reply);
    return charge;
  });
  app.get<{ Params: { key: string } }>('/gateway/api/charges/:key', async (request, reply) => {
    const charge = ledger.find(request.params.key);
    return charge ?? reply.status(404).send({ error: 'none' });
  });
  app.post<{ Params: { key: string } }>('/gateway/api/charges/:key/cancel', async (request) => {
    const charge = ledger.find(request.params.key);
    if (!charge) throw notFound();
    return ledger.decide(charge, 'declined', 'given_up');
  });
  app.post<{ Body: { key: string; charge: string; amount: number } }>(
    '/gateway/api/refunds',
    async (request, reply) => {
      const charge = ledger.findById(request.body.charge);
      const isRefunded =
        charge && (await ledger.refund(request.body.key, charge, request.body.amount));
      return isRefunded ? { ok: true } : reply.status(422).send({ error: 'refused' });
    },
  );
  app.post<{ Body: { token: string } }>('/gateway/api/delete-method', async (request) => {
    ledger.deleteMethod(request.body.token);
    return { ok: true };
  });
}

/** Adds the bank's challenge page and the page of all charges. */
function addPages(
  app: FastifyInstance,
  ledger: GatewayLedger,
  notify: (charge: Charge, kind: HookKind, time?: number) => Promise<void>,
): void {
  const chargeOf = (id: string) => {
    const charge = ledger.findById(id);
    if (!charge) throw notFound();
    return charge;
  };
  app.get('/gateway', async (request, reply) =>
    sendToolPage(reply, chargesPage(requestLanguage(request), ledger.list())),
  );
  app.get<ChargeRoute>('/gateway/bank/:id', async (request, reply) =>
    sendToolPage(reply, bankPage(requestLanguage(request), chargeOf(request.params.id))),
  );
  app.post<ChargeRoute & { Body: { is?: string } }>('/gateway/bank/:id', async (request, reply) => {
    const isConfirmed = request.body?.is === 'confirm';
    const charge = await ledger.decide(
      chargeOf(request.params.id),
      isConfirmed ? 'succeeded' : 'declined',
      isConfirmed ? undefined : 'not_authenticated',
    );
    await notify(charge, 'charge');
    return sendToolPage(reply, bankPage(requestLanguage(request), charge));
  });
  app.post<ChargeRoute & { Body: { do?: string } }>(
    '/gateway/charges/:id',
    async (request, reply) => {
      const charge = chargeOf(request.params.id);
      if (request.body?.do === 'refund')
        await ledger.refund(`page ${charge.id}`, charge, charge.amount - charge.refunded);
      if (request.body?.do === 'dispute') await notify(await ledger.dispute(charge), 'dispute', 0);
      if (request.body?.do === 'tell')
        for (let i = 0; i < 2; i++) await notify(charge, 'charge', 0);
      return reply.redirect('/gateway', 303);
    },
  );
}

/** Closes the connection without a response, as if the response to a charge were lost. */
function hangUp(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  request.raw.socket.destroy();
  return reply.hijack();
}
