// Customers, payment intents and refunds of the Stripe test server, and its responses. The name of
// a payment method is its behavior: `pm_pays`, `pm_declines` …

export type Intent = {
  id: string;
  object: 'payment_intent';
  amount: number;
  currency: string;
  customer: string | null;
  payment_method: string | object | null;
  status: string;
  metadata: Record<string, string>;
  created: number;
  last_payment_error: object | null;
  next_action: object | null;
};
export type StripeReply = { status: number; body: unknown };
/** The fields of a call, encoded as `a=1&b[c]=2`. */
export type StripeForm = Record<string, string | Record<string, string> | undefined>;

export class StripeBooks {
  readonly intents = new Map<string, Intent>();
  readonly refunds: { payment_intent: string; amount: number }[] = [];
  /** Payment methods attached to customers. */
  readonly attachedMethods = new Set<string>();
  private readonly customers = new Map<string, Record<string, string>>();
  private count = 0;

  id(kind: string): string {
    this.count += 1;
    return `${kind}_${this.count}`;
  }

  handleRequest(method: string, path: string, body: StripeForm): StripeReply {
    const [, , kind = '', id = '', action = ''] = path.split('/');
    if (kind === 'customers') return this.handleCustomers(method, id, body);
    if (kind === 'refunds') return this.refund(body);
    if (kind === 'payment_methods' && action === 'detach') {
      this.attachedMethods.delete(id);
      return { status: 200, body: { id: id, object: 'payment_method', customer: null } };
    }
    if (kind !== 'payment_intents') return invalid('resource_missing', 404);
    return this.handleIntents(method, id, action, body);
  }

  /** Approves or declines an intent that requires authentication. */
  decide(id: string, isConfirmed: boolean): void {
    const intent = this.intents.get(id);
    if (intent?.status !== 'requires_action') return;
    intent.next_action = null;
    intent.status = isConfirmed ? 'succeeded' : 'requires_payment_method';
    if (!isConfirmed) {
      intent.last_payment_error = {
        type: 'card_error',
        code: 'payment_intent_authentication_failure',
      };
    }
  }

  private handleIntents(method: string, id: string, action: string, body: StripeForm): StripeReply {
    if (method === 'POST' && id === '') return this.create(body);
    if (id === 'search') {
      const key = /metadata\['key'\]:'([^']+)'/.exec(String(body.query))?.[1];
      const intents = [...this.intents.values()].filter((intent) => intent.metadata.key === key);
      return { status: 200, body: list(intents.map(toApi)) };
    }
    const intent = this.intents.get(id);
    if (!intent) return invalid('resource_missing', 404);
    if (action === 'confirm') return this.confirm(intent, body);
    if (action === 'cancel') {
      if (['succeeded', 'canceled'].includes(intent.status))
        return invalid('payment_intent_unexpected_state');
      intent.status = 'canceled';
    }
    return { status: 200, body: toApi(intent) };
  }

  private create(body: StripeForm): StripeReply {
    const amount = Number(body.amount);
    if (!Number.isInteger(amount) || amount < 50) return invalid('amount_too_small');
    const intent: Intent = {
      id: this.id('pi'),
      object: 'payment_intent',
      amount,
      currency: String(body.currency),
      customer: body.customer ? String(body.customer) : null,
      payment_method: body.payment_method ? String(body.payment_method) : null,
      status: body.payment_method ? 'requires_confirmation' : 'requires_payment_method',
      metadata: {
        ...(body.metadata as Record<string, string>),
        ...(body.setup_future_usage ? { keeps: '1' } : {}),
      },
      created: Math.floor(Date.now() / 1000),
      last_payment_error: null,
      next_action: null,
    };
    this.intents.set(intent.id, intent);
    return body.confirm === 'true'
      ? this.confirm(intent, body)
      : { status: 200, body: toApi(intent) };
  }

  private confirm(intent: Intent, body: StripeForm): StripeReply {
    if (intent.status !== 'requires_confirmation')
      return invalid('payment_intent_unexpected_state');
    const method = String(intent.payment_method);
    const code = DECLINES[method] ?? (body.off_session ? DECLINES_LATER[method] : undefined);
    if (code) {
      intent.status = 'requires_payment_method';
      const error = { type: 'card_error', code: 'card_declined', decline_code: code };
      intent.last_payment_error = error;
      intent.payment_method = null;
      return { status: 402, body: { error: { ...error, payment_intent: toApi(intent) } } };
    }
    if (method === 'pm_asks') {
      intent.status = 'requires_action';
      intent.next_action = {
        type: 'redirect_to_url',
        redirect_to_url: { url: `https://bank.example/${intent.id}`, return_url: body.return_url },
      };
    } else {
      intent.status = 'succeeded';
      if (body.setup_future_usage || intent.metadata.keeps) this.attachedMethods.add(method);
    }
    return { status: 200, body: toApi(intent) };
  }

  private handleCustomers(method: string, id: string, body: StripeForm): StripeReply {
    if (id === 'search') {
      const account = /metadata\['account'\]:'([^']+)'/.exec(String(body.query))?.[1];
      const matches = [...this.customers].filter(([, metadata]) => metadata.account === account);
      return { status: 200, body: list(matches.map(([key]) => ({ id: key, object: 'customer' }))) };
    }
    if (method !== 'POST') return invalid('resource_missing', 404);
    const customerId = this.id('cus');
    this.customers.set(customerId, body.metadata as Record<string, string>);
    return { status: 200, body: { id: customerId, object: 'customer' } };
  }

  private refund(body: StripeForm): StripeReply {
    const intent = this.intents.get(String(body.payment_intent));
    const amount = Number(body.amount);
    const earlierRefunds = this.refunds.filter((refund) => refund.payment_intent === intent?.id);
    const refundedAmount = earlierRefunds.reduce((sum, refund) => sum + refund.amount, 0);
    if (intent?.status !== 'succeeded') return invalid('charge_not_refundable');
    if (refundedAmount + amount > intent.amount) return invalid('charge_already_refunded');
    this.refunds.push({ payment_intent: intent.id, amount });
    return {
      status: 200,
      body: { id: this.id('re'), object: 'refund', amount, status: 'succeeded' },
    };
  }
}

const toApi = (intent: Intent) => ({
  ...intent,
  payment_method:
    typeof intent.payment_method === 'string'
      ? {
          id: intent.payment_method,
          object: 'payment_method',
          card: { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2035 },
        }
      : null,
});

const DECLINES: Record<string, string> = {
  pm_declines: 'generic_decline',
  pm_lost: 'lost_card',
};
const DECLINES_LATER: Record<string, string> = { pm_failsLater: 'insufficient_funds' };

const list = (data: object[]) => ({ object: 'search_result', data, has_more: false });
const invalid = (code: string, status = 400): StripeReply => ({
  status,
  body: { error: { type: 'invalid_request_error', code, message: code } },
});
