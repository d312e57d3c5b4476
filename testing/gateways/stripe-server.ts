// A stand-in for Stripe on this machine, as far as payments need it: customers, payment intents,
// refunds, idempotency keys, signed webhooks. Card numbers are words: `pm_pays`, `pm_declines` …
import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

type Intent = {
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
type Said = { status: number; body: unknown };

export type StripeServer = {
  base: string;
  intents: Map<string, Intent>;
  refunds: { payment_intent: string; amount: number }[];
  /** Payment methods that customers still have. */
  attached: Set<string>;
  /** What the bank decides of an intent that waits for it. */
  decide(id: string, isConfirmed: boolean): void;
  /** A signed webhook: its header and its body. */
  hook(type: string, object: object, id?: string, at?: number): { signature: string; body: string };
  close(): Promise<void>;
};

export const STRIPE_WEBHOOK_SECRET = 'whsec_of_the_tests';

export async function startStripeServer(): Promise<StripeServer> {
  const intents = new Map<string, Intent>();
  const customers = new Map<string, Record<string, string>>();
  const refunds: StripeServer['refunds'] = [];
  const attached = new Set<string>();
  const answers = new Map<string, { body: string; said: Said }>();
  let count = 0;
  const id = (kind: string) => `${kind}_${(count += 1)}`;
  const shown = (intent: Intent) => ({
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

  function confirm(intent: Intent, body: Form): Said {
    if (intent.status !== 'requires_confirmation')
      return invalid('payment_intent_unexpected_state');
    const method = String(intent.payment_method);
    const code = DECLINES[method] ?? (body.off_session ? DECLINES_LATER[method] : undefined);
    if (code) {
      intent.status = 'requires_payment_method';
      const error = { type: 'card_error', code: 'card_declined', decline_code: code };
      intent.last_payment_error = error;
      intent.payment_method = null;
      return { status: 402, body: { error: { ...error, payment_intent: shown(intent) } } };
    }
    if (method === 'pm_asks') {
      intent.status = 'requires_action';
      intent.next_action = {
        type: 'redirect_to_url',
        redirect_to_url: { url: `https://bank.example/${intent.id}`, return_url: body.return_url },
      };
    } else {
      intent.status = 'succeeded';
      if (body.setup_future_usage || intent.metadata.keeps) attached.add(method);
    }
    return { status: 200, body: shown(intent) };
  }

  function answer(method: string, path: string, body: Form): Said {
    const [, , kind = '', one = '', act = ''] = path.split('/');
    if (kind === 'customers') return answerCustomers(method, one, body);
    if (kind === 'refunds') return refund(body);
    if (kind === 'payment_methods' && act === 'detach') {
      attached.delete(one);
      return { status: 200, body: { id: one, object: 'payment_method', customer: null } };
    }
    if (kind !== 'payment_intents') return invalid('resource_missing', 404);
    if (method === 'POST' && one === '') return create(body);
    if (one === 'search') {
      const key = /metadata\['key'\]:'([^']+)'/.exec(String(body.query))?.[1];
      const found = [...intents.values()].filter((intent) => intent.metadata.key === key);
      return { status: 200, body: list(found.map(shown)) };
    }
    const intent = intents.get(one);
    if (!intent) return invalid('resource_missing', 404);
    if (act === 'confirm') return confirm(intent, body);
    if (act === 'cancel') {
      if (['succeeded', 'canceled'].includes(intent.status))
        return invalid('payment_intent_unexpected_state');
      intent.status = 'canceled';
    }
    return { status: 200, body: shown(intent) };
  }

  function create(body: Form): Said {
    const amount = Number(body.amount);
    if (!Number.isInteger(amount) || amount < 50) return invalid('amount_too_small');
    const intent: Intent = {
      id: id('pi'),
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
    intents.set(intent.id, intent);
    return body.confirm === 'true' ? confirm(intent, body) : { status: 200, body: shown(intent) };
  }

  function answerCustomers(method: string, one: string, body: Form): Said {
    if (one === 'search') {
      const account = /metadata\['account'\]:'([^']+)'/.exec(String(body.query))?.[1];
      const found = [...customers].filter(([, metadata]) => metadata.account === account);
      return { status: 200, body: list(found.map(([key]) => ({ id: key, object: 'customer' }))) };
    }
    if (method !== 'POST') return invalid('resource_missing', 404);
    const made = id('cus');
    customers.set(made, body.metadata as Record<string, string>);
    return { status: 200, body: { id: made, object: 'customer' } };
  }

  function refund(body: Form): Said {
    const intent = intents.get(String(body.payment_intent));
    const amount = Number(body.amount);
    const before = refunds.filter((one) => one.payment_intent === intent?.id);
    const back = before.reduce((sum, one) => sum + one.amount, 0);
    if (intent?.status !== 'succeeded') return invalid('charge_not_refundable');
    if (back + amount > intent.amount) return invalid('charge_already_refunded');
    refunds.push({ payment_intent: intent.id, amount });
    return { status: 200, body: { id: id('re'), object: 'refund', amount, status: 'succeeded' } };
  }

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://stripe.example');
    const text = await read(request);
    const form = parseForm(request.method === 'GET' ? url.search.slice(1) : text);
    const key = String(request.headers['idempotency-key'] ?? '');
    const known = request.method === 'POST' && key ? answers.get(key) : undefined;
    const said =
      request.headers.authorization !== 'Bearer sk_test'
        ? { status: 401, body: { error: { type: 'invalid_request_error' } } }
        : known && known.body !== `${url.pathname} ${text}`
          ? { status: 400, body: { error: { type: 'idempotency_error' } } }
          : (known?.said ?? structuredClone(answer(request.method ?? 'GET', url.pathname, form)));
    if (key && !known) answers.set(key, { body: `${url.pathname} ${text}`, said });
    response.writeHead(said.status, {
      'content-type': 'application/json',
      ...(known ? { 'idempotent-replayed': 'true' } : {}),
    });
    response.end(JSON.stringify(said.body));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    intents,
    refunds,
    attached,
    decide(intentId, isConfirmed) {
      const intent = intents.get(intentId);
      if (intent?.status !== 'requires_action') return;
      intent.next_action = null;
      intent.status = isConfirmed ? 'succeeded' : 'requires_payment_method';
      if (!isConfirmed) {
        intent.last_payment_error = {
          type: 'card_error',
          code: 'payment_intent_authentication_failure',
        };
      }
    },
    hook(type, object, eventId = id('evt'), at = Date.now()) {
      const time = Math.floor(at / 1000);
      const body = JSON.stringify({ id: eventId, object: 'event', type, data: { object } });
      const v1 = createHmac('sha256', STRIPE_WEBHOOK_SECRET)
        .update(`${time}.${body}`)
        .digest('hex');
      return { signature: `t=${time},v1=${v1}`, body };
    },
    close: () => new Promise((done) => void server.close(() => done())),
  };
}

const DECLINES: Record<string, string> = {
  pm_declines: 'generic_decline',
  pm_lost: 'lost_card',
};
const DECLINES_LATER: Record<string, string> = { pm_failsLater: 'insufficient_funds' };

const list = (data: object[]) => ({ object: 'search_result', data, has_more: false });
const invalid = (code: string, status = 400): Said => ({
  status,
  body: { error: { type: 'invalid_request_error', code, message: code } },
});

async function read(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

type Form = Record<string, string | Record<string, string> | undefined>;

/** `a=1&b[c]=2`: what Stripe's calls are written in. */
function parseForm(text: string): Form {
  const form: Form = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const [, outer = name, inner] = /^([^[]+)\[([^\]]*)\]$/.exec(name) ?? [];
    if (inner === undefined) form[outer] = value;
    else form[outer] = { ...(form[outer] as Record<string, string>), [inner]: value };
  }
  return form;
}
