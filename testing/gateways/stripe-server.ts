// A test server that implements the parts of Stripe that payments need: customers, payment intents,
// refunds, idempotency keys, signed webhooks.
import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type StripeForm, type StripeReply, StripeBooks } from './stripe-books.ts';

export type StripeServer = Pick<StripeBooks, 'intents' | 'refunds' | 'attachedMethods'> & {
  base: string;
  /** Makes the bank's decision on an intent that requires it. */
  decide(id: string, isConfirmed: boolean): void;
  /** A signed webhook: its signature header and body. */
  hook(type: string, object: object, id?: string): { signature: string; body: string };
  close(): Promise<void>;
};

export const STRIPE_WEBHOOK_SECRET = 'whsec_of_the_tests';

export async function startStripeServer(): Promise<StripeServer> {
  const books = new StripeBooks();
  const server = createServer(requestHandler(books));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { intents, refunds, attachedMethods } = books;
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    intents,
    refunds,
    attachedMethods,
    decide: (id, isConfirmed) => books.decide(id, isConfirmed),
    hook: (type, object, id = books.id('evt')) =>
      signHook({ id, object: 'event', type, data: { object } }),
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

/**
 * An identical call with a repeated key gets the first response; a different call with that key
 * gets an error.
 */
function requestHandler(books: StripeBooks) {
  const repliesByKey = new Map<string, { body: string; reply: StripeReply }>();
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://stripe.example');
    const text = await readBody(request);
    const form = parseForm(request.method === 'GET' ? url.search.slice(1) : text);
    const key = String(request.headers['idempotency-key'] ?? '');
    const earlierReply = request.method === 'POST' && key ? repliesByKey.get(key) : undefined;
    const reply =
      request.headers.authorization !== 'Bearer sk_test'
        ? { status: 401, body: { error: { type: 'invalid_request_error' } } }
        : earlierReply && earlierReply.body !== `${url.pathname} ${text}`
          ? { status: 400, body: { error: { type: 'idempotency_error' } } }
          : (earlierReply?.reply ??
            structuredClone(books.handleRequest(request.method ?? 'GET', url.pathname, form)));
    if (key && !earlierReply) repliesByKey.set(key, { body: `${url.pathname} ${text}`, reply });
    response.writeHead(reply.status, {
      'content-type': 'application/json',
      ...(earlierReply ? { 'idempotent-replayed': 'true' } : {}),
    });
    response.end(JSON.stringify(reply.body));
  };
}

function signHook(event: object): { signature: string; body: string } {
  const time = Math.floor(Date.now() / 1000);
  const body = JSON.stringify(event);
  const v1 = createHmac('sha256', STRIPE_WEBHOOK_SECRET).update(`${time}.${body}`).digest('hex');
  return { signature: `t=${time},v1=${v1}`, body };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Parses the encoding of Stripe's calls: `a=1&b[c]=2`. */
function parseForm(text: string): StripeForm {
  const form: StripeForm = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const [, outer = name, inner] = /^([^[]+)\[([^\]]*)\]$/.exec(name) ?? [];
    if (inner === undefined) form[outer] = value;
    else form[outer] = { ...(form[outer] as Record<string, string>), [inner]: value };
  }
  return form;
}
