// The three gateways behind one interface, each with a local server of its protocol and a proxy
// that loses, delays and replaces responses.
import type { Gateway, GatewayWebhookRequest } from '#areas/billing/server/index.ts';
import { braintreeGateway } from '#providers/braintree/index.ts';
import { stripe } from '#providers/stripe/index.ts';
import { SIGNATURE, sign, testGateway } from '#providers/test-gateway/client.ts';
import { NUMBERS } from '#providers/test-gateway/ledger.ts';
import { runAtEnd } from '../setup/at-the-end.ts';
import { startTestGateway } from '../servers/test-gateway.ts';
import { BRAINTREE_KEYS, startBraintreeServer } from './braintree-server.ts';
import { startTroubledProxy, type TroubledProxy } from './proxy.ts';
import { STRIPE_WEBHOOK_SECRET, startStripeServer } from './stripe-server.ts';

/**
 * The behavior of a card: `asks` requires the bank's challenge, `failsLater` fails if the payer is
 * absent.
 */
export type CardKind = 'pays' | 'declines' | 'lost' | 'asks' | 'failsLater';

export type GatewaySetup = {
  gateway: Gateway;
  proxy: TroubledProxy;
  /** The card form's nonce for such a card. */
  card(cardKind?: CardKind): string;
  /** The amounts charged under a key. */
  chargedAmounts(key: string): number[];
  /** The refunded amount of a key's charge. */
  refundedAmount(key: string): number;
  /**
   * Makes the bank's decision; undefined if the browser completes the challenge before the charge
   * is made.
   */
  decide: ((key: string, isConfirmed: boolean) => Promise<void>) | undefined;
  /** A webhook with the gateway's signature. */
  hook(kind: 'charge' | 'dispute', key: string): GatewayWebhookRequest;
  /** A Stripe webhook about a charge, of any type; undefined for other gateways. */
  chargeHook?: (type: string, key: string, overrides: object) => GatewayWebhookRequest;
  forgeSignature(call: GatewayWebhookRequest): GatewayWebhookRequest;
  /** Makes the daily settlement. A settled payment can be refunded but no longer voided. */
  settle?: () => void;
};

const TIME_LIMIT_MS = 1_000;

async function setUpStripe(): Promise<GatewaySetup> {
  const server = await startStripeServer();
  runAtEnd(() => server.close());
  const proxy = await startTroubledProxy(server.base, (method, path) =>
    /^POST \/v1\/(payment_intents\/[^/]+\/confirm|refunds)/.test(`${method} ${path}`),
  );
  runAtEnd(() => proxy.close());
  const gateway = stripe({
    secretKey: 'sk_test',
    publishableKey: 'pk_test',
    webhookSecret: STRIPE_WEBHOOK_SECRET,
    returnUrl: 'https://mail.example/thank-you',
    baseUrl: proxy.base,
    timeLimitMs: TIME_LIMIT_MS,
  });
  const chargesOf = (key: string) =>
    [...server.intents.values()].filter((intent) => intent.metadata.key === key);
  const listSucceeded = (key: string) =>
    chargesOf(key).filter((intent) => intent.status === 'succeeded');
  return {
    gateway,
    proxy,
    card: (cardKind = 'pays') => `pm_${cardKind}`,
    chargedAmounts: (key) => listSucceeded(key).map((intent) => intent.amount),
    refundedAmount: (key) =>
      server.refunds
        .filter((refund) => chargesOf(key).some((intent) => intent.id === refund.payment_intent))
        .reduce((sum, refund) => sum + refund.amount, 0),
    async decide(key, isConfirmed) {
      for (const intent of chargesOf(key)) server.decide(intent.id, isConfirmed);
    },
    hook(kind, key) {
      const intent = chargesOf(key)[0];
      const { signature, body } =
        kind === 'dispute'
          ? server.hook('charge.dispute.created', { payment_intent: intent?.id }, `evt_d_${key}`)
          : server.hook('payment_intent.succeeded', intent ?? {}, `evt_${key}`);
      return { headers: { 'stripe-signature': signature }, body };
    },
    chargeHook(type, key, overrides) {
      const intent = chargesOf(key)[0]?.id;
      const { signature, body } = server.hook(type, { payment_intent: intent, ...overrides });
      return { headers: { 'stripe-signature': signature }, body };
    },
    forgeSignature: ({ headers, body }) => ({
      headers: { 'stripe-signature': headers['stripe-signature']?.replace(/.$/, 'x') },
      body,
    }),
  };
}

async function setUpBraintree(): Promise<GatewaySetup> {
  const server = await startBraintreeServer();
  runAtEnd(() => server.close());
  const proxy = await startTroubledProxy(server.base, (method, path) =>
    /^(POST|PUT) .*\/transactions(\/[^/]+\/(refund|void))?$/.test(`${method} ${path}`),
  );
  runAtEnd(() => proxy.close());
  const gateway = braintreeGateway({
    ...BRAINTREE_KEYS,
    merchantAccounts: { usd: 'in-usd', eur: 'in-eur' },
    isSandbox: true,
    requires3ds: true,
    baseUrl: proxy.base,
    timeLimitMs: TIME_LIMIT_MS,
  });
  let nonces = 0;
  const chargesOf = (key: string) =>
    server.transactions.filter((transaction) => transaction.orderId === key);
  return {
    gateway,
    proxy,
    card(cardKind = 'pays') {
      const nonce = `${cardKind === 'asks' ? 'pays' : cardKind}-${(nonces += 1)}`;
      // The card form completes the challenge before the charge. Only the card `asks` stays without
      // the bank's confirmation.
      if (cardKind !== 'asks') server.confirmedNonces.add(nonce);
      return nonce;
    },
    chargedAmounts: (key) =>
      chargesOf(key)
        .filter((transaction) =>
          ['submitted_for_settlement', 'settled', 'voided'].includes(transaction.status),
        )
        .map((transaction) => Math.round(Number(transaction.amount) * 100)),
    refundedAmount: (key) =>
      chargesOf(key).reduce(
        (sum, transaction) =>
          sum +
          Math.round(
            (transaction.status === 'voided' ? Number(transaction.amount) : transaction.refunded) *
              100,
          ),
        0,
      ),
    decide: undefined,
    hook(kind, key) {
      const notificationKind = kind === 'dispute' ? 'dispute_opened' : 'transaction_settled';
      const { signature, payload } = server.hook(
        notificationKind,
        key,
        new Date('2026-11-01T10:00:00Z'),
      );
      const body = new URLSearchParams({ bt_signature: signature, bt_payload: payload });
      return { headers: {}, body: body.toString() };
    },
    settle: () => server.settle(),
    forgeSignature({ headers, body }) {
      const form = new URLSearchParams(body);
      form.set('bt_signature', `${form.get('bt_signature')?.slice(0, -1)}x`);
      return { headers, body: form.toString() };
    },
  };
}

async function setUpTestGateway(): Promise<GatewaySetup> {
  const server = await startTestGateway();
  const proxy = await startTroubledProxy(server.base, (method, path) =>
    /^POST \/gateway\/api\/(charges|refunds)$/.test(`${method} ${path}`),
  );
  runAtEnd(() => proxy.close());
  const { ledger } = server;
  const charge = (key: string) => ledger.find(key);
  return {
    gateway: testGateway({ baseUrl: proxy.base, timeLimitMs: TIME_LIMIT_MS }),
    proxy,
    card: (cardKind = 'pays') =>
      server.card(
        cardKind === 'pays' ? undefined : NUMBERS[cardKind === 'asks' ? 'challenged' : cardKind],
      ),
    chargedAmounts: (key) =>
      ledger
        .list()
        .filter((charge) => charge.key === key && charge.state === 'succeeded')
        .map((charge) => charge.amount),
    refundedAmount: (key) => charge(key)?.refunded ?? 0,
    async decide(key, isConfirmed) {
      const match = charge(key);
      if (!match) throw new Error(`No charge ${key}`);
      const code = isConfirmed ? undefined : 'not_authenticated';
      await ledger.decide(match, isConfirmed ? 'succeeded' : 'declined', code);
    },
    hook(kind, key) {
      const body = JSON.stringify({ key: `${kind} ${key}`, kind, chargeKey: key });
      return { headers: { [SIGNATURE]: sign(body) }, body };
    },
    forgeSignature: ({ headers, body }) => ({ headers: { ...headers, [SIGNATURE]: 'x' }, body }),
  };
}

export const GATEWAY_SETUPS = {
  stripe: setUpStripe,
  braintree: setUpBraintree,
  test: setUpTestGateway,
} as const;
