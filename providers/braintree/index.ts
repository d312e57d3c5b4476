// Implements billing's gateway interface for Braintree with its official library. The attempt's key
// is the order ID and the request key of the transaction, so that at most one transaction is
// created; a lost response is recovered by this key.
import braintree from 'braintree';
import type {
  ChargeOutcome,
  ChargeRequest,
  FoundCharge,
  Gateway,
  GatewayEvent,
  RefundOutcome,
} from '#areas/billing/server/gateway-provider.ts';
import { renderCardForm } from './card-form.ts';

export type BraintreeOptions = {
  merchantId: string;
  publicKey: string;
  privateKey: string;
  /** A merchant account for each currency. */
  merchantAccounts: Partial<Record<'usd' | 'eur', string>>;
  isSandbox: boolean;
  /**
   * The bank must confirm each payment with an entered card (3-D Secure); without its confirmation,
   * the payment is refused.
   */
  requires3ds: boolean;
  /** The URL of a test server: `http://127.0.0.1:1234`. */
  baseUrl?: string | undefined;
  timeLimitMs?: number;
};

type ApiTransaction = {
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

const PAID_STATUSES = new Set([
  'submitted_for_settlement',
  'settling',
  'settled',
  'settlement_pending',
  'settlement_confirmed',
]);
const OPEN_STATUSES = new Set(['authorizing', 'authorized']);

/** Decline codes with a specific message for the payer; all other codes get a general message. */
const CODES: Record<string, string> = {
  '2000': 'card_declined',
  '2001': 'insufficient_funds',
  '2004': 'expired_card',
  '2012': 'lost_card',
  '2013': 'lost_card',
  // The bank requires authentication. A stored card is not authenticated, and the authentication of
  // an entered card may have failed.
  '2099': 'not_authenticated',
  three_d_secure: 'not_authenticated',
};

const refusalOf = ({ processorResponseCode, gatewayRejectionReason, status }: ApiTransaction) =>
  gatewayRejectionReason || processorResponseCode || status;

export function braintreeGateway(options: BraintreeOptions): Gateway {
  const client = new braintree.BraintreeGateway({
    environment: environmentOf(options),
    merchantId: options.merchantId,
    publicKey: options.publicKey,
    privateKey: options.privateKey,
  });
  client.config.timeout = options.timeLimitMs ?? 20_000;
  return {
    name: 'braintree',
    async createClientToken(currency) {
      const { clientToken } = await client.clientToken.generate(merchantOf(options, currency));
      return clientToken;
    },
    getCardForm: () => renderCardForm(options),
    charge: (request) => charge(client, request, options),
    find: ({ key }) => byKey(client, key),
    async cancel({ key, gatewayId }) {
      const existingTransaction = await byKey(client, key);
      if (
        existingTransaction.status === 'succeeded' ||
        existingTransaction.status === 'declined' ||
        existingTransaction.status === 'none'
      )
        return existingTransaction;
      await client.transaction.void(gatewayId);
      return byKey(client, key);
    },
    refund: (request) => refund(client, request),
    async deleteMethod(token) {
      await client.paymentMethod.delete(token);
    },
    parseWebhook: ({ body }) => readHook(client, body),
  };
}

type Client = braintree.BraintreeGateway;

function merchantOf({ merchantAccounts }: BraintreeOptions, currency: 'usd' | 'eur') {
  const merchantAccountId = merchantAccounts[currency];
  return merchantAccountId ? { merchantAccountId } : {};
}

/**
 * Returns the result of an attempt; if a key has several transactions, a paid one takes precedence.
 */
function byKey(client: Client, key: string): Promise<FoundCharge> {
  return new Promise((resolve, reject) => {
    const stream = client.transaction.search((search) => search.orderId().is(key));
    const transactions: ApiTransaction[] = [];
    stream.on('data', (transaction: ApiTransaction) => transactions.push(transaction));
    stream.on('error', reject);
    stream.on('end', () => {
      const paidTransaction =
        transactions.find((transaction) => PAID_STATUSES.has(transaction.status)) ??
        transactions[0];
      resolve(paidTransaction ? outcomeOf(paidTransaction) : { status: 'none' });
    });
    stream.resume();
  });
}

async function charge(
  client: Client,
  request: ChargeRequest,
  options: BraintreeOptions,
): Promise<ChargeOutcome> {
  try {
    const response = await client.transaction.sale(saleOf(request, options));
    const transaction = response.transaction as unknown as ApiTransaction | undefined;
    // Braintree refused a duplicate, so the result of the first attempt counts.
    if (transaction?.gatewayRejectionReason === 'duplicate')
      return toOutcome(await byKey(client, request.key));
    if (transaction) return outcomeOf(transaction);
    if (isRepeat(response)) return toOutcome(await byKey(client, request.key));
    // Braintree itself refuses with errors; a response without them is not from Braintree.
    return (response as { errors?: object }).errors
      ? { status: 'declined', code: 'invalid_request', mayRetry: true }
      : { status: 'unknown' };
  } catch {
    return { status: 'unknown' };
  }
}

function saleOf(
  { card, amount, key, currency, isOffSession }: ChargeRequest,
  options: BraintreeOptions,
): braintree.TransactionRequest {
  return {
    amount: (amount / 100).toFixed(2),
    orderId: key,
    ...merchantOf(options, currency),
    ...('nonce' in card ? { paymentMethodNonce: card.nonce } : { paymentMethodToken: card.token }),
    ...(isOffSession ? { transactionSource: 'recurring' as const } : {}),
    options: {
      submitForSettlement: true,
      storeInVaultOnSuccess: 'nonce' in card && card.save,
      // The gateway itself refuses a nonce without the bank's confirmation.
      ...('nonce' in card && options.requires3ds ? { threeDSecure: { required: true } } : {}),
    },
    ...{ apiRequestKey: key },
  } as braintree.TransactionRequest;
}

async function refund(
  client: Client,
  { key, gatewayId, amount }: Parameters<Gateway['refund']>[0],
): Promise<RefundOutcome> {
  const money = (amount / 100).toFixed(2);
  try {
    const options = { amount: money, orderId: key, apiRequestKey: key };
    const response = await client.transaction.refund(gatewayId, options as never);
    if (response.success && response.transaction) return { status: 'succeeded' };
    if ((await byKey(client, key)).status === 'succeeded') return { status: 'succeeded' };
    // An unsettled transaction is voided instead, if the full amount is refunded.
    const transaction = await client.transaction.find(gatewayId);
    if (transaction.amount !== money) return { status: 'failed', code: response.message };
    if (transaction.status === 'voided') return { status: 'succeeded' };
    const voidResult = await client.transaction.void(gatewayId);
    return voidResult.success
      ? { status: 'succeeded' }
      : { status: 'failed', code: response.message };
  } catch {
    return { status: 'unknown' };
  }
}

/** Returns the events of a webhook; undefined if Braintree's signature is missing or wrong. */
async function readHook(client: Client, body: string): Promise<GatewayEvent[] | undefined> {
  const form = new URLSearchParams(body);
  try {
    const notification = await client.webhookNotification.parse(
      form.get('bt_signature') ?? '',
      form.get('bt_payload') ?? '',
    );
    return eventsOf(notification as unknown as BraintreeNotification);
  } catch {
    return undefined;
  }
}

type BraintreeNotification = {
  kind: string;
  timestamp: Date | string;
  transaction?: ApiTransaction;
  dispute?: { id: string; amountDisputed?: string; transaction?: { orderId?: string } };
};

function eventsOf({
  kind,
  timestamp,
  transaction,
  dispute,
}: BraintreeNotification): GatewayEvent[] {
  const time = new Date(timestamp).getTime();
  if (dispute?.transaction?.orderId) {
    // Braintree notifies of each step of a dispute, including lost and accepted; only opening and
    // winning change anything.
    if (!['dispute_opened', 'dispute_won'].includes(kind)) return [];
    const amount = Math.round(Number(dispute.amountDisputed) * 100);
    return [
      {
        key: `${kind} ${dispute.id} ${time}`,
        kind: kind === 'dispute_won' ? 'dispute_won' : 'dispute',
        chargeKey: dispute.transaction.orderId,
        disputeId: dispute.id,
        ...(amount > 0 && { amount }),
      },
    ];
  }
  if (!transaction?.orderId) return [];
  return [
    { key: `${kind} ${transaction.id} ${time}`, kind: 'charge', chargeKey: transaction.orderId },
  ];
}

function environmentOf({ isSandbox, baseUrl }: BraintreeOptions): braintree.Environment {
  if (!baseUrl) return isSandbox ? braintree.Environment.Sandbox : braintree.Environment.Production;
  const { hostname, port } = new URL(baseUrl);
  const Environment = braintree.Environment as unknown as new (
    ...parameters: [string, string, string, boolean]
  ) => braintree.Environment;
  return new Environment(hostname, port, baseUrl, false);
}

/** Returns whether the request key was used before or is in use (errors 915231 to 915235). */
function isRepeat(response: { errors?: { deepErrors(): { code: string }[] } }): boolean {
  return response.errors?.deepErrors().some(({ code }) => /^91523[1-5]$/.test(code)) ?? false;
}

const toOutcome = (foundCharge: FoundCharge): ChargeOutcome =>
  foundCharge.status === 'none' || foundCharge.status === 'cannot_tell'
    ? { status: 'unknown' }
    : foundCharge;

function outcomeOf(transaction: ApiTransaction): ChargeOutcome {
  const { id, status, creditCard: card } = transaction;
  if (PAID_STATUSES.has(status)) {
    return {
      status: 'succeeded',
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
  if (OPEN_STATUSES.has(status)) return { status: 'unknown' };
  const code = CODES[refusalOf(transaction)] ?? refusalOf(transaction);
  return {
    status: 'declined',
    code,
    mayRetry: transaction.processorResponseType !== 'hard_declined',
    gatewayId: id,
  };
}
