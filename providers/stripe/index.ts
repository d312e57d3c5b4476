// Stripe behind billing's interface, by its own library. A PaymentIntent is made, which moves no money, its
// id is written down, and only then it is confirmed: what was not answered is asked for by that id.
import { createHash } from 'node:crypto';
import Stripe from 'stripe';
import type {
  CardForm,
  ChargeOutcome,
  ChargeRequest,
  FoundCharge,
  Gateway,
  GatewayEvent,
} from '#areas/billing/server/gateway-provider.ts';
import { clock } from '#platform/server/clock.ts';

export type StripeOptions = {
  secretKey: string;
  publishableKey: string;
  webhookSecret: string;
  /** Where the payer comes back to from the bank. */
  returnUrl: string;
  /** A stand-in of tests: `http://127.0.0.1:1234`. */
  base?: string | undefined;
  timeLimitMs?: number;
};

/** An intent that nobody confirmed so long after it was made never will be. */
const ABANDONED_MS = 90_000;

/** Declines after which the card is not tried again by itself. https://docs.stripe.com/declines/codes */
const FINAL = new Set(['lost_card', 'stolen_card', 'pickup_card', 'fraudulent', 'expired_card']);

export function stripe(options: StripeOptions): Gateway {
  const client = new Stripe(options.secretKey, {
    maxNetworkRetries: 0,
    timeout: options.timeLimitMs ?? 20_000,
    telemetry: false,
    ...(options.base ? at(options.base) : {}),
  });
  const customerOf = async ({ id, email }: ChargeRequest['customer']): Promise<string> => {
    const found = await client.customers.search({ query: `metadata['account']:'${id}'`, limit: 1 });
    if (found.data[0]) return found.data[0].id;
    const made = await client.customers.create(
      { email, metadata: { account: id } },
      { idempotencyKey: `customer-${id}-${createHash('sha256').update(email).digest('hex')}` },
    );
    return made.id;
  };
  const searchFor = async (key: string): Promise<Stripe.PaymentIntent | undefined> => {
    const found = await client.paymentIntents.search({
      query: `metadata['key']:'${key}'`,
      limit: 1,
      expand: ['data.payment_method'],
    });
    return found.data[0];
  };
  const retrieve = async (id: string): Promise<FoundCharge> =>
    outcomeOf(await client.paymentIntents.retrieve(id, { expand: ['payment_method'] }));
  const cancel = async (id: string): Promise<FoundCharge> => {
    try {
      return outcomeOf(await client.paymentIntents.cancel(id));
    } catch (error) {
      // Past the point where it can be cancelled: what it has become is the answer.
      if (error instanceof Stripe.errors.StripeInvalidRequestError) return retrieve(id);
      throw error;
    }
  };
  const make = async (request: ChargeRequest): Promise<Stripe.PaymentIntent> => {
    const [customer, method] =
      'nonce' in request.card
        ? [await customerOf(request.customer), request.card.nonce]
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
  };
  const findIntent = async (key: string, id: string | null): Promise<FoundCharge> => {
    const intent = await (id === null
      ? searchFor(key)
      : client.paymentIntents.retrieve(id, { expand: ['payment_method'] }));
    if (!intent) return { is: 'none' };
    if (intent.status !== 'requires_confirmation') return outcomeOf(intent);
    // Whoever made it was killed before confirming, or is about to. Stripe lets either that or this be.
    const isAbandoned = clock.now().getTime() - intent.created * 1000 > ABANDONED_MS;
    return isAbandoned ? cancel(intent.id) : { is: 'cannot_tell' };
  };
  return {
    name: 'stripe',
    clientToken: async () => options.publishableKey,
    cardForm: () => CARD_FORM,
    async charge(request, begun) {
      const made = await make(request).catch((error: unknown) => failureOf(error));
      // Nothing is charged by what was never confirmed.
      if (!('id' in made)) return made;
      await begun(made.id);
      try {
        const intent = await client.paymentIntents.confirm(
          made.id,
          {
            expand: ['payment_method'],
            ...(request.offSession ? { off_session: true } : { return_url: options.returnUrl }),
          },
          { idempotencyKey: `${request.key}-confirm` },
        );
        return outcomeOf(intent);
      } catch (error) {
        return declineOf(error);
      }
    },
    find: ({ key, gatewayId }) => findIntent(key, gatewayId),
    cancel: ({ gatewayId }) => cancel(gatewayId),
    async refund({ key, gatewayId, amount }) {
      try {
        const refund = await client.refunds.create(
          { payment_intent: gatewayId, amount },
          { idempotencyKey: key },
        );
        if (refund.status === 'failed' || refund.status === 'canceled')
          return { is: 'failed', code: refund.status };
        return { is: 'succeeded' };
      } catch (error) {
        if (error instanceof Stripe.errors.StripeInvalidRequestError) {
          return { is: 'failed', code: error.code ?? 'refused' };
        }
        return { is: 'unknown' };
      }
    },
    async forget(token) {
      await client.paymentMethods.detach(token.split('|')[1] ?? token);
    },
    async readHook({ headers, body }) {
      let event: Stripe.Event;
      try {
        event = await client.webhooks.constructEventAsync(
          body,
          headers['stripe-signature'] ?? '',
          options.webhookSecret,
        );
      } catch {
        return undefined;
      }
      return eventsOf(event, client);
    },
  };
}

function at(base: string) {
  const { hostname, port, protocol } = new URL(base);
  return {
    host: hostname,
    port: Number(port),
    protocol: protocol.replace(':', '') as 'http' | 'https',
  };
}

function outcomeOf(intent: Stripe.PaymentIntent): ChargeOutcome {
  const { id, status, payment_method: method } = intent;
  if (status === 'succeeded') {
    const card = typeof method === 'object' ? method?.card : undefined;
    const customer =
      typeof intent.customer === 'string' ? intent.customer : (intent.customer?.id ?? '');
    return {
      is: 'succeeded',
      gatewayId: id,
      method:
        card && typeof method === 'object' && method
          ? {
              token: `${customer}|${method.id}`,
              brand: card.brand.replace(/^./, (letter) => letter.toUpperCase()),
              last4: card.last4,
              expMonth: card.exp_month,
              expYear: card.exp_year,
            }
          : undefined,
    };
  }
  if (status === 'requires_action') {
    return {
      is: 'action_needed',
      gatewayId: id,
      action: { url: intent.next_action?.redirect_to_url?.url ?? '' },
    };
  }
  if (status === 'processing' || status === 'requires_capture') return { is: 'unknown' };
  const code = intent.last_payment_error?.decline_code ?? intent.last_payment_error?.code ?? status;
  return { is: 'declined', code, mayRetry: !FINAL.has(code), gatewayId: id };
}

/** Why an intent could not be made. */
function failureOf(error: unknown): ChargeOutcome & { is: 'declined' } {
  const code = error instanceof Stripe.errors.StripeError ? error.code : undefined;
  return { is: 'declined', code: code ?? 'not_reached', mayRetry: true };
}

/** An error of the card is an answer; anything else may have charged. */
function declineOf(error: unknown): ChargeOutcome {
  if (error instanceof Stripe.errors.StripeCardError) {
    const code = error.decline_code ?? error.code ?? 'card_declined';
    return {
      is: 'declined',
      code,
      mayRetry: !FINAL.has(code),
      gatewayId: error.payment_intent?.id,
    };
  }
  return { is: 'unknown' };
}

async function eventsOf(event: Stripe.Event, client: Stripe): Promise<GatewayEvent[]> {
  if (event.type === 'charge.dispute.created') {
    const intent = event.data.object.payment_intent;
    if (!intent) return [];
    const { metadata } = await client.paymentIntents.retrieve(
      typeof intent === 'string' ? intent : intent.id,
    );
    return metadata.key ? [{ key: event.id, kind: 'dispute', chargeKey: metadata.key }] : [];
  }
  if (!event.type.startsWith('payment_intent.')) return [];
  const { metadata } = event.data.object as Stripe.PaymentIntent;
  return metadata.key ? [{ key: event.id, kind: 'charge', chargeKey: metadata.key }] : [];
}

const CARD_FORM: CardForm = {
  hosts: {
    script: ['https://js.stripe.com/v3/stripe.js', 'https://js.stripe.com'],
    frame: ['https://js.stripe.com', 'https://hooks.stripe.com'],
    connect: ['https://api.stripe.com'],
  },
  script: `cardForm.mount(async ({ token }) => {
  const { words, say } = cardForm;
  const stripe = Stripe(token);
  const elements = stripe.elements();
  const style = { base: { fontSize: '15px', color: getComputedStyle(document.body).color, lineHeight: '38px' } };
  const fields = { number: 'cardNumber', expiry: 'cardExpiry', code: 'cardCvc' };
  const mounted = Object.entries(fields).map(([name, kind]) => {
    const element = elements.create(kind, { style });
    element.mount('#' + name + '-field');
    element.on('change', (event) => say(name, event.error ? words[name + 'Invalid'] : ''));
    return element;
  });
  return async () => {
    const { error, paymentMethod } = await stripe.createPaymentMethod({ type: 'card', card: mounted[0] });
    if (paymentMethod) return paymentMethod.id;
    const name = { incomplete_expiry: 'expiry', invalid_expiry_year_past: 'expiry', incomplete_cvc: 'code' }[error.code] || 'number';
    say(name, words[name + 'Invalid']);
    return null;
  };
});`,
  styles: '.field{padding:0 12px}',
};
