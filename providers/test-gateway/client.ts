// The client of billing's test gateway. Like other gateways it is called over HTTP, because the
// worker process also charges.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type {
  CardForm,
  ChargeOutcome,
  FoundCharge,
  Gateway,
  GatewayEvent,
} from '#areas/billing/server/gateway-provider.ts';
import { deriveKey } from '#platform/server/secrets.ts';
import type { Charge } from './ledger.ts';

const TIME_LIMIT_MS = 10_000;
export const SIGNATURE = 'x-test-gateway-signature';

export function sign(body: string): string {
  return createHmac('sha256', deriveKey('test gateway')).update(body).digest('hex');
}

/** @param baseUrl URL of the web process on this machine */
export function testGateway({
  baseUrl,
  timeLimitMs = TIME_LIMIT_MS,
}: {
  baseUrl: string;
  timeLimitMs?: number;
}): Gateway {
  const fetchApi = async (path: string, body?: unknown): Promise<Response> =>
    fetch(`${baseUrl}/gateway/api${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeLimitMs),
    });
  const readCharge = async (response: Response): Promise<FoundCharge> => {
    if (response.status === 404) return { status: 'none' };
    if (!response.ok) return { status: 'cannot_tell' };
    return outcomeOf((await response.json()) as Charge);
  };
  return {
    name: 'test',
    createClientToken: async () => 'test',
    getCardForm: () => CARD_FORM,
    async charge(request) {
      const response = await fetchApi('/charges', {
        key: request.key,
        order: request.order,
        amount: request.amount,
        currency: request.currency,
        ...('nonce' in request.card
          ? { nonce: request.card.nonce, save: request.card.save }
          : { token: request.card.token, save: false }),
        off_session: request.isOffSession,
      });
      if (!response.ok) return { status: 'unknown' };
      return outcomeOf((await response.json()) as Charge);
    },
    find: async ({ key }) => readCharge(await fetchApi(`/charges/${encodeURIComponent(key)}`)),
    cancel: async ({ key }) =>
      readCharge(await fetchApi(`/charges/${encodeURIComponent(key)}/cancel`, {})),
    async refund(request) {
      const response = await fetchApi('/refunds', {
        key: request.key,
        charge: request.gatewayId,
        amount: request.amount,
      });
      if (response.ok) return (await response.json()) && { status: 'succeeded' };
      return response.status === 422
        ? { status: 'failed', code: 'refused' }
        : { status: 'unknown' };
    },
    async deleteMethod(token) {
      await fetchApi('/delete-method', { token });
    },
    async parseWebhook({ headers, body }) {
      return isSigned(body, headers[SIGNATURE]) ? [JSON.parse(body) as GatewayEvent] : undefined;
    },
  };
}

function isSigned(body: string, signature = ''): boolean {
  const receivedSignature = Buffer.from(signature);
  const expectedSignature = Buffer.from(sign(body));
  return (
    receivedSignature.length === expectedSignature.length &&
    timingSafeEqual(receivedSignature, expectedSignature)
  );
}

function outcomeOf(charge: Charge): ChargeOutcome {
  if (charge.state === 'succeeded') {
    const { card } = charge;
    return {
      status: 'succeeded',
      gatewayId: charge.id,
      method: card && {
        token: card.token,
        brand: card.brand,
        last4: card.last4,
        expMonth: card.exp_month,
        expYear: card.exp_year,
      },
    };
  }
  if (charge.state === 'declined') {
    return {
      status: 'declined',
      code: charge.code ?? 'card_declined',
      mayRetry: charge.may_retry ?? true,
      gatewayId: charge.id,
    };
  }
  return {
    status: 'action_needed',
    gatewayId: charge.id,
    action: { url: `/gateway/bank/${charge.id}` },
  };
}

const CARD_FORM: CardForm = {
  hosts: { script: [], frame: [], connect: [] },
  script: `cardForm.mount(async () => {
  const { words, showError } = cardForm;
  const input = (name, mode, autocomplete, placeholder) => {
    const field = document.createElement('input');
    field.id = name; field.inputMode = mode; field.autocomplete = autocomplete; field.placeholder = placeholder; field.dir = 'ltr';
    field.setAttribute('aria-describedby', name + '-error');
    document.getElementById(name + '-field').replaceChildren(field);
    return field;
  };
  const number = input('number', 'numeric', 'cc-number', '4111 1111 1111 1111');
  const expiry = input('expiry', 'numeric', 'cc-exp', '12/30');
  const code = input('code', 'numeric', 'cc-csc', '123');
  expiry.addEventListener('input', () => { if (/^\\d{4}$/.test(expiry.value)) expiry.value = expiry.value.slice(0, 2) + '/' + expiry.value.slice(2); });
  return async () => {
    const [month, year] = expiry.value.split('/').map(Number);
    const isOver = !(month >= 1 && month <= 12) || !(year >= 0) || (2000 + year % 100) * 12 + month < new Date().getFullYear() * 12 + new Date().getMonth() + 1;
    if (isOver) showError('expiry', words.expiryInvalid);
    const isCode = /^\\d{3,4}$/.test(code.value.trim());
    if (!isCode) showError('code', words.codeInvalid);
    const answer = await fetch('/gateway/tokenize', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ number: number.value.replace(/\\s/g, ''), month: month || 1, year: 2000 + (year || 0) % 100 }) });
    if (answer.status === 422) { showError('number', words.numberInvalid); return null; }
    if (!answer.ok) throw new Error();
    if (isOver || !isCode) return null;
    return (await answer.json()).nonce;
  };
});`,
};
