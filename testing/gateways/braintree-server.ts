// A test server that implements the parts of Braintree that payments need: transactions, searches,
// refunds, voids, stored cards, idempotency keys, signed webhooks.
import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type BraintreeRequest,
  BraintreeBooks,
  failure,
  type BraintreeReply,
  type BraintreeTransaction,
  toXml,
} from './braintree-books.ts';

export type BraintreeServer = Pick<BraintreeBooks, 'transactions' | 'cards' | 'confirmedNonces'> & {
  base: string;
  /** Settles all payments. A settled payment can be refunded but no longer voided. */
  settle(): void;
  hook(kind: string, key: string, instant?: Date): { signature: string; payload: string };
  close(): Promise<void>;
};

export const BRAINTREE_KEYS = {
  merchantId: 'merchant',
  publicKey: 'public',
  privateKey: 'private',
};

export async function startBraintreeServer(): Promise<BraintreeServer> {
  const books = new BraintreeBooks();
  const { transactions, cards, confirmedNonces } = books;
  const server = createServer(requestHandler(books));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    transactions,
    cards,
    confirmedNonces,
    settle: () => books.settle(),
    hook(kind, key, instant = new Date()) {
      const transaction = transactions.find((candidate) => candidate.orderId === key);
      if (!transaction) throw new Error(`No charge ${key}`);
      return signHook(kind, transaction, instant);
    },
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

function requestHandler(books: BraintreeBooks) {
  const keys = new Map<string, { request: string; reply: BraintreeReply }>();
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const call = (text ? JSON.parse(text) : {}) as BraintreeRequest;
    const path = new URL(request.url ?? '/', 'http://braintree.example').pathname;
    if (path.includes('/client_api/')) {
      const [status, content] = books.handleClientCall(path, call);
      response.writeHead(status, { 'content-type': 'application/json' }).end(content);
      return;
    }
    const key = call.transaction?.api_request_key;
    const earlierReply = key === undefined ? undefined : keys.get(key);
    // A repeated request gets the same response; another request with the same key is refused.
    const reply: BraintreeReply =
      earlierReply === undefined
        ? books.handleRequest(request.method ?? 'GET', path, call)
        : earlierReply.request === `${path} ${text}`
          ? earlierReply.reply
          : [422, failure('915232')];
    if (key !== undefined && !earlierReply) keys.set(key, { request: `${path} ${text}`, reply });
    response.writeHead(reply[0], { 'content-type': 'application/xml' });
    response.end(reply[1] && `<?xml version="1.0" encoding="UTF-8"?>${reply[1]}`);
  };
}

function signHook(
  kind: string,
  transaction: BraintreeTransaction,
  instant: Date,
): { signature: string; payload: string } {
  const subject =
    kind === 'dispute_opened'
      ? `<dispute><id>d${transaction.id}</id><kind>chargeback</kind><status>open</status><transaction><id>${transaction.id}</id><order-id>${transaction.orderId}</order-id></transaction></dispute>`
      : toXml(transaction);
  const payload = Buffer.from(
    `<notification><kind>${kind}</kind><timestamp type="datetime">${instant.toISOString()}</timestamp><subject>${subject}</subject></notification>`,
  ).toString('base64');
  const secret = createHash('sha1').update(BRAINTREE_KEYS.privateKey).digest();
  const digest = createHmac('sha1', secret).update(payload).digest('hex');
  return { signature: `${BRAINTREE_KEYS.publicKey}|${digest}`, payload };
}
