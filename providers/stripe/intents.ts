// Creates, finds and cancels PaymentIntents and maps them to outcomes.
import { createHash } from 'node:crypto';
import Stripe from 'stripe';
import type {
  ChargeOutcome,
  ChargeRequest,
  FoundCharge,
} from '#areas/billing/server/gateway-provider.ts';
import { clock } from '#platform/server/clock.ts';

/** An intent that is unconfirmed after this time is treated as abandoned. */
const ABANDONED_MS = 90_000;

/** Decline codes with a specific message for the payer, and the names that screens use for them. */
const CODES: Record<string, string> = {
  authentication_required: 'not_authenticated',
  payment_intent_authentication_failure: 'not_authenticated',
  stolen_card: 'lost_card',
};

/**
 * The card is not retried automatically after these declines.
 * https://docs.stripe.com/declines/codes
 */
const FINAL = new Set(['lost_card', 'stolen_card', 'pickup_card', 'fraudulent', 'expired_card']);

/** Creates an intent, and for a new card the customer if there is none; this moves no money. */
export async function makeIntent(
  client: Stripe,
  request: ChargeRequest,
): Promise<Stripe.PaymentIntent> {
  const [customer, method] =
    'nonce' in request.card
      ? [await customerOf(client, request.customer), request.card.nonce]
      : (request.card.token.split('|') as [string, string]);
  return client.paymentIntents.create(
    {
      amount: request.amount,
      currency: request.currency,
      customer,
      payment_method: method,
      automatic_payment_methods: { enabled: true },
      metadata: { key: request.key, order: request.order },
      ...('save' in request.card && request.card.save
        ? { setup_future_usage: 'off_session' as const }
        : {}),
    },
    { idempotencyKey: request.key },
  );
}

async function customerOf(
  client: Stripe,
  { id, email }: ChargeRequest['customer'],
): Promise<string> {
  const customers = await client.customers.search({
    query: `metadata['account']:'${id}'`,
    limit: 1,
  });
  if (customers.data[0]) return customers.data[0].id;
  const customer = await client.customers.create(
    { email, metadata: { account: id } },
    { idempotencyKey: `customer-${id}-${createHash('sha256').update(email).digest('hex')}` },
  );
  return customer.id;
}

/** Finds an intent by its id, or by the attempt's key if the id was not stored. */
export async function findIntent(
  client: Stripe,
  key: string,
  id: string | null,
): Promise<FoundCharge> {
  const intent = await (id === null
    ? searchFor(client, key)
    : client.paymentIntents.retrieve(id, { expand: ['payment_method'] }));
  if (!intent) return { status: 'none' };
  if (intent.status !== 'requires_confirmation') return toChargeOutcome(intent);
  // The process that created the intent was killed before confirming it, or is about to confirm it.
  // Stripe accepts either the confirmation or the cancellation, never both.
  const isAbandoned = clock.now().getTime() - intent.created * 1000 > ABANDONED_MS;
  return isAbandoned ? cancelIntent(client, intent.id) : { status: 'cannot_tell' };
}

async function searchFor(client: Stripe, key: string): Promise<Stripe.PaymentIntent | undefined> {
  const intents = await client.paymentIntents.search({
    query: `metadata['key']:'${key}'`,
    limit: 1,
    expand: ['data.payment_method'],
  });
  return intents.data[0];
}

export async function cancelIntent(client: Stripe, id: string): Promise<FoundCharge> {
  try {
    return toChargeOutcome(await client.paymentIntents.cancel(id));
  } catch (error) {
    // If it is too late to cancel, the current state is the result.
    if (error instanceof Stripe.errors.StripeInvalidRequestError)
      return toChargeOutcome(
        await client.paymentIntents.retrieve(id, { expand: ['payment_method'] }),
      );
    throw error;
  }
}

export function toChargeOutcome(intent: Stripe.PaymentIntent): ChargeOutcome {
  const { id, status } = intent;
  if (status === 'succeeded') {
    return { status: 'succeeded', gatewayId: id, method: storedMethod(intent) };
  }
  if (status === 'requires_action') {
    return {
      status: 'action_needed',
      gatewayId: id,
      action: { url: intent.next_action?.redirect_to_url?.url ?? '' },
    };
  }
  if (status === 'processing' || status === 'requires_capture') return { status: 'unknown' };
  const code = intent.last_payment_error?.decline_code ?? intent.last_payment_error?.code ?? status;
  return {
    status: 'declined',
    code: CODES[code] ?? code,
    mayRetry: !FINAL.has(code),
    gatewayId: id,
  };
}

/** Returns the card for later payments; undefined if the method is not expanded or not a card. */
function storedMethod({ customer, payment_method: method }: Stripe.PaymentIntent) {
  if (!method || typeof method === 'string' || !method.card) return undefined;
  const { brand, last4, exp_month: expMonth, exp_year: expYear } = method.card;
  const customerId = typeof customer === 'string' ? customer : (customer?.id ?? '');
  return {
    token: `${customerId}|${method.id}`,
    brand: brand.replace(/^./, (character) => character.toUpperCase()),
    last4,
    expMonth,
    expYear,
  };
}

/** Returns the outcome of a charge whose intent could not be created. */
export function failedIntent(error: unknown): ChargeOutcome & { status: 'declined' } {
  const code = error instanceof Stripe.errors.StripeError ? error.code : undefined;
  return { status: 'declined', code: code ?? 'not_reached', mayRetry: true };
}

/**
 * Maps an error to an outcome: a card error is definite; after any other error the charge may have
 * succeeded.
 */
export function outcomeOfError(error: unknown): ChargeOutcome {
  if (error instanceof Stripe.errors.StripeCardError) {
    const code = error.decline_code ?? error.code ?? 'card_declined';
    return {
      status: 'declined',
      code: CODES[code] ?? code,
      mayRetry: !FINAL.has(code),
      gatewayId: error.payment_intent?.id,
    };
  }
  return { status: 'unknown' };
}
