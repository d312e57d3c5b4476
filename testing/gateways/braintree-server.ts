// A stand-in for Braintree on this machine, as far as payments need it: transactions, searches, refunds,
// voids, stored cards, signed webhooks, in the XML that its library reads. Nonces are words: `pays`, `lost` …
import { createHash, createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type Transaction = {
  id: string;
  orderId: string;
  amount: string;
  status: string;
  responseCode: string;
  responseType: string;
  rejection?: string;
  token: string | undefined;
  refunded: number;
};

export type BraintreeServer = {
  base: string;
  transactions: Transaction[];
  cards: Map<string, string>;
  /** Nonces that come with the bank's word (3-D Secure). */
  confirmed: Set<string>;
  /** Everything that was taken in is settled: from now on it is refunded, no more voided. */
  settle(): void;
  hook(kind: string, key: string, at?: Date): { signature: string; payload: string };
  close(): Promise<void>;
};

export const BRAINTREE_KEYS = {
  merchantId: 'merchant',
  publicKey: 'public',
  privateKey: 'private',
};

/** The hosts are Braintree's own, as its library for browsers takes no others: a browser's calls are led here. */
const CLIENT_API = 'https://api.sandbox.braintreegateway.com/merchants/merchant/client_api';
const CLIENT_TOKEN = Buffer.from(
  JSON.stringify({
    version: 2,
    environment: 'sandbox',
    authorizationFingerprint: 'fingerprint',
    configUrl: `${CLIENT_API}/v1/configuration`,
  }),
).toString('base64');
const CLIENT_CONFIGURATION = {
  environment: 'sandbox',
  merchantId: 'merchant',
  clientApiUrl: CLIENT_API,
  assetsUrl: 'https://assets.braintreegateway.com',
  challenges: [],
  creditCards: { supportedCardTypes: ['Visa'] },
  threeDSecureEnabled: true,
  threeDSecure: {
    cardinalAuthenticationJWT: 'jwt',
    cardinalSongbirdUrl:
      'https://cas.static.client.cardinaltrusted.com/songbird/v2.0.0/songbird.js',
  },
};

type Asked = {
  transaction?: {
    amount?: string;
    order_id?: string;
    api_request_key?: string;
    payment_method_nonce?: string;
    payment_method_token?: string;
    transaction_source?: string;
    options?: {
      store_in_vault_on_success?: boolean;
      submit_for_settlement?: boolean;
      three_d_secure?: { required?: boolean };
    };
  };
  search?: { order_id?: { is?: string }; ids?: string[] };
  /** What the bank told the browser, in its own words. */
  jwt?: string;
};

/** Words of cards: the processor's code and type. https://developer.paypal.com/braintree/docs/reference/general/processor-responses */
const DECLINES: Record<string, [string, string]> = {
  declines: ['2000', 'soft_declined'],
  lost: ['2012', 'hard_declined'],
};

export async function startBraintreeServer(): Promise<BraintreeServer> {
  const transactions: Transaction[] = [];
  const cards = new Map<string, string>();
  const keys = new Map<string, { asked: string; said: [number, string] }>();
  const usedNonces = new Set<string>();
  const confirmed = new Set<string>();
  let count = 0;

  function sale(asked: NonNullable<Asked['transaction']>): [number, string] {
    const nonce = asked.payment_method_nonce;
    const token = asked.payment_method_token;
    const card = nonce === undefined ? cards.get(token ?? '') : nonce.split('-')[0];
    if (card === undefined || (nonce !== undefined && usedNonces.has(nonce)))
      return [422, failure('91565')];
    if (nonce !== undefined) usedNonces.add(nonce);
    const isUnconfirmed =
      nonce !== undefined && asked.options?.three_d_secure?.required && !confirmed.has(nonce);
    const isLater = asked.transaction_source === 'recurring';
    const decline =
      DECLINES[card] ?? (card === 'failsLater' && isLater ? ['2001', 'soft_declined'] : undefined);
    const keeps = asked.options?.store_in_vault_on_success === true && !decline && !isUnconfirmed;
    const made: Transaction = {
      id: `bt${(count += 1)}`,
      orderId: asked.order_id ?? '',
      amount: asked.amount ?? '0',
      status: isUnconfirmed
        ? 'gateway_rejected'
        : decline
          ? 'processor_declined'
          : 'submitted_for_settlement',
      ...(isUnconfirmed ? { rejection: 'three_d_secure' } : {}),
      responseCode: decline?.[0] ?? '1000',
      responseType: decline?.[1] ?? 'approved',
      token: keeps ? `card${count}` : token,
      refunded: 0,
    };
    if (keeps && made.token) cards.set(made.token, card);
    transactions.push(made);
    return decline || isUnconfirmed ? [422, failure(undefined, made)] : [201, xmlOf(made)];
  }

  /** What the card form asks from the browser: whether the bank wants to hear the payer, and what it heard. */
  function clientCall(path: string, asked: Asked): [number, string] {
    if (path.endsWith('/configuration')) return [200, JSON.stringify(CLIENT_CONFIGURATION)];
    const [, nonce = '', step] =
      /payment_methods\/([^/]+)\/three_d_secure\/(lookup|authenticate_from_jwt)$/.exec(path) ?? [];
    const mustAsk = step === 'lookup' && nonce.startsWith('asks');
    const isConfirmed = step === 'lookup' ? !mustAsk : asked.jwt === 'confirmed';
    const next = isConfirmed ? `pays-c${(count += 1)}` : nonce;
    if (isConfirmed) confirmed.add(next);
    const word = { liabilityShifted: isConfirmed, liabilityShiftPossible: true };
    const paymentMethod = { nonce: next, type: 'CreditCard', details: {}, threeDSecureInfo: word };
    const bank = { acsUrl: 'https://bank.example/ask', pareq: 'asked', transactionId: 't1' };
    return [
      200,
      JSON.stringify({
        paymentMethod,
        threeDSecureInfo: word,
        ...(step === 'lookup'
          ? { lookup: { threeDSecureVersion: '2.2.0', ...(mustAsk ? bank : {}) } }
          : {}),
      }),
    ];
  }

  function refund(found: Transaction, asked: Asked): [number, string] {
    const amount = Number(asked.transaction?.amount ?? found.amount);
    // https://developer.paypal.com/braintree/docs/reference/general/validation-errors/all: 91506, 91521
    if (!['settled', 'settling'].includes(found.status)) return [422, failure('91506')];
    if (found.refunded + amount > Number(found.amount)) return [422, failure('91521')];
    found.refunded += amount;
    const back: Transaction = {
      ...found,
      id: `bt${(count += 1)}`,
      orderId: asked.transaction?.order_id ?? '',
      status: 'submitted_for_settlement',
      refunded: 0,
    };
    transactions.push(back);
    return [201, xmlOf(back)];
  }

  function voided(found: Transaction): [number, string] {
    if (found.status !== 'submitted_for_settlement') return [422, failure('91504')];
    found.status = 'voided';
    return [200, xmlOf(found)];
  }

  function act(method: string, path: string, asked: Asked): [number, string] {
    const [, , , kind = '', one = '', verb = ''] = path.split('/');
    if (kind === 'client_token')
      return [201, `<client-token><value>${CLIENT_TOKEN}</value></client-token>`];
    if (kind === 'payment_methods') {
      cards.delete(path.split('/').at(-1) ?? '');
      return [200, ''];
    }
    if (kind !== 'transactions') return [404, ''];
    if (one === 'advanced_search_ids') {
      const ids = transactions
        .filter((made) => made.orderId === asked.search?.order_id?.is)
        .map((made) => `<item>${made.id}</item>`);
      return [
        200,
        `<search-results><page-size type="integer">50</page-size><ids type="array">${ids.join('')}</ids></search-results>`,
      ];
    }
    if (one === 'advanced_search') {
      const found = transactions.filter((made) => asked.search?.ids?.includes(made.id));
      return [
        200,
        `<credit-card-transactions type="collection"><page-size type="integer">50</page-size>${found.map(xmlOf).join('')}</credit-card-transactions>`,
      ];
    }
    if (method === 'POST' && one === '') return sale(asked.transaction ?? {});
    const found = transactions.find((made) => made.id === one);
    if (!found) return [404, ''];
    if (verb === 'refund') return refund(found, asked);
    if (verb === 'void') return voided(found);
    return [200, xmlOf(found)];
  }

  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const text = Buffer.concat(parts).toString();
    const asked = (text ? JSON.parse(text) : {}) as Asked;
    const path = new URL(request.url ?? '/', 'http://braintree.example').pathname;
    if (path.includes('/client_api/')) {
      const [status, content] = clientCall(path, asked);
      response.writeHead(status, { 'content-type': 'application/json' }).end(content);
      return;
    }
    const key = asked.transaction?.api_request_key;
    const known = key === undefined ? undefined : keys.get(key);
    // The same request again is answered as before; another one under its key is refused.
    const said: [number, string] =
      known === undefined
        ? act(request.method ?? 'GET', path, asked)
        : known.asked === `${path} ${text}`
          ? known.said
          : [422, failure('915232')];
    if (key !== undefined && !known) keys.set(key, { asked: `${path} ${text}`, said });
    response.writeHead(said[0], { 'content-type': 'application/xml' });
    response.end(said[1] && `<?xml version="1.0" encoding="UTF-8"?>${said[1]}`);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    transactions,
    cards,
    confirmed,
    settle() {
      for (const made of transactions)
        if (made.status === 'submitted_for_settlement') made.status = 'settled';
    },
    hook(kind, key, at = new Date()) {
      const made = transactions.find((one) => one.orderId === key);
      if (!made) throw new Error(`Nobody paid ${key}`);
      const subject =
        kind === 'dispute_opened'
          ? `<dispute><id>d${made.id}</id><kind>chargeback</kind><status>open</status><transaction><id>${made.id}</id><order-id>${made.orderId}</order-id></transaction></dispute>`
          : xmlOf(made);
      const payload = Buffer.from(
        `<notification><kind>${kind}</kind><timestamp type="datetime">${at.toISOString()}</timestamp><subject>${subject}</subject></notification>`,
      ).toString('base64');
      const secret = createHash('sha1').update(BRAINTREE_KEYS.privateKey).digest();
      const digest = createHmac('sha1', secret).update(payload).digest('hex');
      return { signature: `${BRAINTREE_KEYS.publicKey}|${digest}`, payload };
    },
    close: () => new Promise((done) => void server.close(() => done())),
  };
}

function xmlOf(made: Transaction): string {
  const refunds = made.refunded > 0 ? `<item>r${made.id}</item>` : '';
  return `<transaction><id>${made.id}</id><type>sale</type><order-id>${made.orderId}</order-id><amount>${made.amount}</amount><status>${made.status}</status><processor-response-code>${made.responseCode}</processor-response-code><processor-response-type>${made.responseType}</processor-response-type>${made.rejection ? `<gateway-rejection-reason>${made.rejection}</gateway-rejection-reason>` : ''}<refund-ids type="array">${refunds}</refund-ids><credit-card><token${made.token ? `>${made.token}</token>` : ' nil="true"/>'}<card-type>Visa</card-type><last-4>4242</last-4><expiration-month>12</expiration-month><expiration-year>2035</expiration-year></credit-card></transaction>`;
}

function failure(code: string | undefined, made?: Transaction): string {
  const errors = code
    ? `<errors><errors type="array"/><transaction><errors type="array"><error><code>${code}</code><attribute>base</attribute><message>${code}</message></error></errors></transaction></errors>`
    : '<errors><errors type="array"/></errors>';
  return `<api-error-response>${errors}<message>${made ? 'Do Not Honor' : code}</message>${made ? xmlOf(made) : ''}</api-error-response>`;
}
