// Braintree behind billing's interface, by its own library. An attempt's key is the transaction's order id
// and its request key, so at most one transaction comes of it; what was not answered is searched for.
import braintree from 'braintree';
import type {
  CardForm,
  ChargeOutcome,
  FoundCharge,
  Gateway,
  GatewayEvent,
} from '#areas/billing/server/gateway-provider.ts';

export type BraintreeOptions = {
  merchantId: string;
  publicKey: string;
  privateKey: string;
  /** A merchant account for each currency. */
  merchantAccounts: Partial<Record<'usd' | 'eur', string>>;
  isSandbox: boolean;
  /** A stand-in of tests: `http://127.0.0.1:1234`. */
  base?: string | undefined;
  timeLimitMs?: number;
};

type Transaction = {
  id: string;
  status: string;
  orderId?: string;
  processorResponseCode?: string;
  processorResponseType?: string;
  gatewayRejectionReason?: string;
  creditCard?: {
    token?: string | null;
    cardType?: string;
    last4?: string;
    expirationMonth?: string;
    expirationYear?: string;
  };
};

const PAID = new Set([
  'submitted_for_settlement',
  'settling',
  'settled',
  'settlement_pending',
  'settlement_confirmed',
]);
const OPEN = new Set(['authorizing', 'authorized']);

export function braintreeGateway(options: BraintreeOptions): Gateway {
  const client = new braintree.BraintreeGateway({
    environment: environmentOf(options),
    merchantId: options.merchantId,
    publicKey: options.publicKey,
    privateKey: options.privateKey,
  });
  client.config.timeout = options.timeLimitMs ?? 20_000;
  const accountOf = (currency: 'usd' | 'eur') => {
    const merchantAccountId = options.merchantAccounts[currency];
    return merchantAccountId ? { merchantAccountId } : {};
  };
  const byKey = (key: string): Promise<FoundCharge> =>
    new Promise((resolve, reject) => {
      const stream = client.transaction.search((search) => search.orderId().is(key));
      const found: Transaction[] = [];
      stream.on('data', (one: Transaction) => found.push(one));
      stream.on('error', reject);
      stream.on('end', () => {
        // Of several tries under one key the paid one counts.
        const best = found.find((one) => PAID.has(one.status)) ?? found[0];
        resolve(best ? outcomeOf(best) : { is: 'none' });
      });
      stream.resume();
    });
  return {
    name: 'braintree',
    async clientToken(currency) {
      const { clientToken } = await client.clientToken.generate(accountOf(currency));
      return clientToken;
    },
    cardForm: () => CARD_FORM,
    async charge(request) {
      const { card } = request;
      try {
        const answer = await client.transaction.sale({
          amount: (request.amount / 100).toFixed(2),
          orderId: request.key,
          ...accountOf(request.currency),
          ...('nonce' in card
            ? { paymentMethodNonce: card.nonce }
            : { paymentMethodToken: card.token }),
          ...(request.offSession ? { transactionSource: 'recurring' as const } : {}),
          options: {
            submitForSettlement: true,
            storeInVaultOnSuccess: 'nonce' in card && card.save,
          },
          ...{ apiRequestKey: request.key },
        } as braintree.TransactionRequest);
        const transaction = answer.transaction as unknown as Transaction | undefined;
        // Refused as a repeat: what the first one became is the answer.
        if (transaction?.gatewayRejectionReason === 'duplicate')
          return asked(await byKey(request.key));
        if (transaction) return outcomeOf(transaction);
        if (isRepeat(answer)) return asked(await byKey(request.key));
        // Refused with its reasons, or something that is no answer of Braintree's.
        return (answer as { errors?: object }).errors
          ? { is: 'declined', code: 'invalid_request', mayRetry: true }
          : { is: 'unknown' };
      } catch {
        return { is: 'unknown' };
      }
    },
    find: ({ key }) => byKey(key),
    async cancel({ key, gatewayId }) {
      const found = await byKey(key);
      if (found.is === 'succeeded' || found.is === 'declined' || found.is === 'none') return found;
      await client.transaction.void(gatewayId);
      return byKey(key);
    },
    async refund({ key, gatewayId, amount }) {
      const money = (amount / 100).toFixed(2);
      try {
        const asked = { amount: money, orderId: key, apiRequestKey: key };
        const answer = await client.transaction.refund(gatewayId, asked as never);
        if (answer.success && answer.transaction) return { is: 'succeeded' };
        if ((await byKey(key)).is === 'succeeded') return { is: 'succeeded' };
        // Not settled yet: it is voided instead, as long as all of it goes back.
        const charged = await client.transaction.find(gatewayId);
        if (charged.amount !== money) return { is: 'failed', code: answer.message };
        if (charged.status === 'voided') return { is: 'succeeded' };
        const voided = await client.transaction.void(gatewayId);
        return voided.success ? { is: 'succeeded' } : { is: 'failed', code: answer.message };
      } catch {
        return { is: 'unknown' };
      }
    },
    async forget(token) {
      await client.paymentMethod.delete(token);
    },
    async readHook({ body }) {
      const form = new URLSearchParams(body);
      try {
        const told = await client.webhookNotification.parse(
          form.get('bt_signature') ?? '',
          form.get('bt_payload') ?? '',
        );
        return eventsOf(told as unknown as Told);
      } catch {
        return undefined;
      }
    },
  };
}

type Told = {
  kind: string;
  timestamp: Date | string;
  transaction?: Transaction;
  dispute?: { id: string; transaction?: { orderId?: string } };
};

function eventsOf({ kind, timestamp, transaction, dispute }: Told): GatewayEvent[] {
  const time = new Date(timestamp).getTime();
  if (dispute?.transaction?.orderId) {
    return [
      {
        key: `${kind} ${dispute.id} ${time}`,
        kind: 'dispute',
        chargeKey: dispute.transaction.orderId,
      },
    ];
  }
  if (!transaction?.orderId) return [];
  return [
    { key: `${kind} ${transaction.id} ${time}`, kind: 'charge', chargeKey: transaction.orderId },
  ];
}

function environmentOf({ isSandbox, base }: BraintreeOptions): braintree.Environment {
  if (!base) return isSandbox ? braintree.Environment.Sandbox : braintree.Environment.Production;
  const { hostname, port } = new URL(base);
  const Environment = braintree.Environment as unknown as new (
    ...of: [string, string, string, boolean]
  ) => braintree.Environment;
  return new Environment(hostname, port, base, false);
}

/** The request key was used before, or is being used: 915231 to 915235. */
function isRepeat(answer: { errors?: { deepErrors(): { code: string }[] } }): boolean {
  return answer.errors?.deepErrors().some(({ code }) => /^91523[1-5]$/.test(code)) ?? false;
}

const asked = (found: FoundCharge): ChargeOutcome =>
  found.is === 'none' || found.is === 'cannot_tell' ? { is: 'unknown' } : found;

function outcomeOf(transaction: Transaction): ChargeOutcome {
  const { id, status, creditCard: card } = transaction;
  if (PAID.has(status)) {
    return {
      is: 'succeeded',
      gatewayId: id,
      method: card?.token
        ? {
            token: card.token,
            brand: card.cardType ?? 'Card',
            last4: card.last4 ?? '',
            expMonth: Number(card.expirationMonth),
            expYear: Number(card.expirationYear),
          }
        : undefined,
    };
  }
  if (OPEN.has(status)) return { is: 'unknown' };
  const code = transaction.processorResponseCode || transaction.gatewayRejectionReason || status;
  return {
    is: 'declined',
    code,
    mayRetry: transaction.processorResponseType !== 'hard_declined',
    gatewayId: id,
  };
}

const SCRIPTS = 'https://js.braintreegateway.com/web/3.112.0/js';
const CARD_FORM: CardForm = {
  hosts: {
    script: [
      `${SCRIPTS}/client.min.js`,
      `${SCRIPTS}/hosted-fields.min.js`,
      'https://js.braintreegateway.com',
    ],
    frame: ['https://assets.braintreegateway.com'],
    connect: [
      'https://api.braintreegateway.com',
      'https://api.sandbox.braintreegateway.com',
      'https://client-analytics.braintreegateway.com',
      'https://payments.braintree-api.com',
      'https://payments.sandbox.braintree-api.com',
    ],
  },
  script: `cardForm.mount(async ({ token }) => {
  const { words, say } = cardForm;
  const client = await braintree.client.create({ authorization: token });
  const fields = await braintree.hostedFields.create({
    client,
    styles: { input: { 'font-size': '15px', color: getComputedStyle(document.body).color } },
    fields: { number: { container: '#number-field' }, expirationDate: { container: '#expiry-field' }, cvv: { container: '#code-field' } },
  });
  const names = { number: 'number', expirationDate: 'expiry', cvv: 'code' };
  return async () => {
    const state = fields.getState().fields;
    const wrong = Object.entries(names).filter(([field]) => !state[field].isValid);
    for (const [, name] of wrong) say(name, words[name + 'Invalid']);
    if (wrong.length > 0) return null;
    return (await fields.tokenize()).nonce;
  };
});`,
  styles: '.field{padding:0 12px}',
};
