// Implements billing's gateway interface for Stripe with its official library. A PaymentIntent,
// which moves no money yet, is created and its ID stored; only then is it confirmed. A lost
// response is recovered by that ID.
import Stripe from 'stripe';
import type {
  ChargeOutcome,
  ChargeRequest,
  Gateway,
  GatewayEvent,
  RefundOutcome,
} from '#areas/billing/server/gateway-provider.ts';
import { CARD_FORM } from './card-form.ts';
import {
  cancelIntent,
  outcomeOfError,
  failedIntent,
  findIntent,
  makeIntent,
  toChargeOutcome,
} from './intents.ts';

export type StripeOptions = {
  secretKey: string;
  publishableKey: string;
  webhookSecret: string;
  /** Address that the bank returns the payer to. */
  returnUrl: string;
  /** The URL of a test server: `http://127.0.0.1:1234`. */
  baseUrl?: string | undefined;
  timeLimitMs?: number;
};

export function stripe(options: StripeOptions): Gateway {
  const client = new Stripe(options.secretKey, {
    maxNetworkRetries: 0,
    timeout: options.timeLimitMs ?? 20_000,
    telemetry: false,
    ...(options.baseUrl ? serverAt(options.baseUrl) : {}),
  });
  return {
    name: 'stripe',
    createClientToken: async () => options.publishableKey,
    getCardForm: () => CARD_FORM,
    charge: (request, onStarted) => charge(client, request, onStarted, options.returnUrl),
    find: ({ key, gatewayId }) => findIntent(client, key, gatewayId),
    cancel: ({ gatewayId }) => cancelIntent(client, gatewayId),
    refund: (request) => refund(client, request),
    async deleteMethod(token) {
      await client.paymentMethods.detach(token.split('|')[1] ?? token);
    },
    parseWebhook: (call) => readHook(client, call, options.webhookSecret),
  };
}

function serverAt(base: string) {
  const { hostname, port, protocol } = new URL(base);
  return {
    host: hostname,
    port: Number(port),
    protocol: protocol.replace(':', '') as 'http' | 'https',
  };
}

async function charge(
  client: Stripe,
  request: ChargeRequest,
  onStarted: Parameters<Gateway['charge']>[1],
  returnUrl: string,
): Promise<ChargeOutcome> {
  const createdIntent = await makeIntent(client, request).catch((error: unknown) =>
    failedIntent(error),
  );
  // An unconfirmed intent charges nothing.
  if (!('id' in createdIntent)) return createdIntent;
  await onStarted(createdIntent.id);
  try {
    const intent = await client.paymentIntents.confirm(
      createdIntent.id,
      {
        expand: ['payment_method'],
        ...(request.isOffSession ? { off_session: true } : { return_url: returnUrl }),
      },
      { idempotencyKey: `${request.key}-confirm` },
    );
    return toChargeOutcome(intent);
  } catch (error) {
    return outcomeOfError(error);
  }
}

async function refund(
  client: Stripe,
  { key, gatewayId, amount }: Parameters<Gateway['refund']>[0],
): Promise<RefundOutcome> {
  try {
    const createdRefund = await client.refunds.create(
      { payment_intent: gatewayId, amount },
      { idempotencyKey: key },
    );
    if (createdRefund.status === 'failed' || createdRefund.status === 'canceled')
      return { status: 'failed', code: createdRefund.status };
    return { status: 'succeeded' };
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError)
      return { status: 'failed', code: error.code ?? 'refused' };
    return { status: 'unknown' };
  }
}

/** Returns undefined if Stripe's signature is missing or wrong. */
async function readHook(
  client: Stripe,
  { headers, body }: Parameters<Gateway['parseWebhook']>[0],
  secret: string,
): Promise<GatewayEvent[] | undefined> {
  let event: Stripe.Event;
  try {
    event = await client.webhooks.constructEventAsync(
      body,
      headers['stripe-signature'] ?? '',
      secret,
    );
  } catch {
    return undefined;
  }
  return eventsOf(event, client);
}

async function eventsOf(event: Stripe.Event, client: Stripe): Promise<GatewayEvent[]> {
  const change = changeOf(event);
  if (change) {
    const { intent, ...facts } = change;
    if (!intent) return [];
    const { metadata } = await client.paymentIntents.retrieve(
      typeof intent === 'string' ? intent : intent.id,
    );
    return metadata.key ? [{ key: event.id, chargeKey: metadata.key, ...facts }] : [];
  }
  if (!event.type.startsWith('payment_intent.')) return [];
  const { metadata } = event.data.object as Stripe.PaymentIntent;
  return metadata.key ? [{ key: event.id, kind: 'charge', chargeKey: metadata.key }] : [];
}

type PaymentChange = Omit<GatewayEvent, 'key' | 'chargeKey'> & {
  intent: string | { id: string } | null | undefined;
};

/**
 * Returns the change that an event reports about an earlier payment; undefined for other events.
 */
function changeOf(event: Stripe.Event): PaymentChange | undefined {
  switch (event.type) {
    case 'charge.dispute.created':
      return disputeOf(event.data.object, 'dispute');
    case 'charge.dispute.funds_reinstated':
      return disputeOf(event.data.object, 'dispute_won');
    case 'charge.dispute.closed': {
      const { status } = event.data.object;
      // A closed inquiry never became a dispute, so it is treated as won.
      const isWon = status === 'won' || status === 'warning_closed';
      return isWon ? disputeOf(event.data.object, 'dispute_won') : undefined;
    }
    case 'charge.refunded': {
      const { payment_intent: intent, amount_refunded: amount } = event.data.object;
      return { kind: 'refund', intent, ...(Number.isInteger(amount) && { amount }) };
    }
    case 'refund.created':
    case 'refund.updated':
    case 'charge.refund.updated': {
      const { payment_intent: intent, status, amount } = event.data.object;
      return status === 'succeeded' ? { kind: 'refund', intent, amount } : undefined;
    }
    default:
      return undefined;
  }
}

function disputeOf(
  { id, amount, payment_intent: intent }: Stripe.Dispute,
  kind: 'dispute' | 'dispute_won',
): PaymentChange {
  return {
    kind,
    intent,
    ...(id && { disputeId: id }),
    ...(Number.isInteger(amount) && { amount }),
  };
}
