// Transactions and stored cards of the Braintree test server, with responses in the XML that its
// library parses. Nonces are words: `pays`, `lost` …

export type Transaction = {
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

export type BraintreeReply = [status: number, content: string];

/**
 * Braintree's own hosts, since its browser library accepts no others: browser calls are routed
 * here.
 */
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

export type BraintreeRequest = {
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
  /** The bank's result, as returned to the browser. */
  jwt?: string;
};

/**
 * The processor's code and type by card word.
 * https://developer.paypal.com/braintree/docs/reference/general/processor-responses
 */
const DECLINES: Record<string, [code: string, type: string]> = {
  declines: ['2000', 'soft_declined'],
  lost: ['2012', 'hard_declined'],
};

function declineOf(
  card: string,
  { transaction_source: source }: NonNullable<BraintreeRequest['transaction']>,
): [code: string, type: string] | undefined {
  const failsLater = card === 'failsLater' && source === 'recurring';
  return DECLINES[card] ?? (failsLater ? ['2001', 'soft_declined'] : undefined);
}

export class BraintreeBooks {
  readonly transactions: Transaction[] = [];
  readonly cards = new Map<string, string>();
  /** Nonces with the bank's confirmation (3-D Secure). */
  readonly confirmed = new Set<string>();
  private readonly usedNonces = new Set<string>();
  private count = 0;

  act(method: string, path: string, request: BraintreeRequest): BraintreeReply {
    const [, , , kind = '', one = '', verb = ''] = path.split('/');
    if (kind === 'client_token')
      return [201, `<client-token><value>${CLIENT_TOKEN}</value></client-token>`];
    if (kind === 'payment_methods') {
      this.cards.delete(path.split('/').at(-1) ?? '');
      return [200, ''];
    }
    if (kind !== 'transactions') return [404, ''];
    if (one.startsWith('advanced_search')) return this.search(one, request);
    if (method === 'POST' && one === '') return this.sale(request.transaction ?? {});
    const found = this.transactions.find((made) => made.id === one);
    if (!found) return [404, ''];
    if (verb === 'refund') return this.refund(found, request);
    if (verb === 'void') return this.voided(found);
    return [200, xmlOf(found)];
  }

  /**
   * Calls of the card form from the browser: whether the bank requires a challenge, and its result.
   */
  clientCall(path: string, request: BraintreeRequest): BraintreeReply {
    if (path.endsWith('/configuration')) return [200, JSON.stringify(CLIENT_CONFIGURATION)];
    const [, nonce = '', step] =
      /payment_methods\/([^/]+)\/three_d_secure\/(lookup|authenticate_from_jwt)$/.exec(path) ?? [];
    const mustChallenge = step === 'lookup' && nonce.startsWith('asks');
    const isConfirmed = step === 'lookup' ? !mustChallenge : request.jwt === 'confirmed';
    const next = isConfirmed ? `pays-c${this.next()}` : nonce;
    if (isConfirmed) this.confirmed.add(next);
    const secureInfo = { liabilityShifted: isConfirmed, liabilityShiftPossible: true };
    const paymentMethod = {
      nonce: next,
      type: 'CreditCard',
      details: {},
      threeDSecureInfo: secureInfo,
    };
    const bank = { acsUrl: 'https://bank.example/ask', pareq: 'asked', transactionId: 't1' };
    return [
      200,
      JSON.stringify({
        paymentMethod,
        threeDSecureInfo: secureInfo,
        ...(step === 'lookup'
          ? { lookup: { threeDSecureVersion: '2.2.0', ...(mustChallenge ? bank : {}) } }
          : {}),
      }),
    ];
  }

  /** Settles all payments: from now on they are refunded instead of voided. */
  settle(): void {
    for (const made of this.transactions)
      if (made.status === 'submitted_for_settlement') made.status = 'settled';
  }

  private search(how: string, request: BraintreeRequest): BraintreeReply {
    if (how === 'advanced_search_ids') {
      const ids = this.transactions
        .filter((made) => made.orderId === request.search?.order_id?.is)
        .map((made) => `<item>${made.id}</item>`);
      return [
        200,
        `<search-results><page-size type="integer">50</page-size><ids type="array">${ids.join('')}</ids></search-results>`,
      ];
    }
    const found = this.transactions.filter((made) => request.search?.ids?.includes(made.id));
    return [
      200,
      `<credit-card-transactions type="collection"><page-size type="integer">50</page-size>${found.map(xmlOf).join('')}</credit-card-transactions>`,
    ];
  }

  private sale(request: NonNullable<BraintreeRequest['transaction']>): BraintreeReply {
    const nonce = request.payment_method_nonce;
    const card = this.cardOf(request);
    if (card === undefined) return [422, failure('91565')];
    if (nonce !== undefined) this.usedNonces.add(nonce);
    const isUnconfirmed = this.isUnconfirmed(request);
    const decline = declineOf(card, request);
    const isRefused = isUnconfirmed || decline !== undefined;
    const isStored = request.options?.store_in_vault_on_success === true && !isRefused;
    const made: Transaction = {
      id: `bt${this.next()}`,
      orderId: request.order_id ?? '',
      amount: request.amount ?? '0',
      status: isUnconfirmed
        ? 'gateway_rejected'
        : decline
          ? 'processor_declined'
          : 'submitted_for_settlement',
      ...(isUnconfirmed ? { rejection: 'three_d_secure' } : {}),
      responseCode: decline?.[0] ?? '1000',
      responseType: decline?.[1] ?? 'approved',
      token: isStored ? `card${this.count}` : request.payment_method_token,
      refunded: 0,
    };
    if (isStored && made.token) this.cards.set(made.token, card);
    this.transactions.push(made);
    return isRefused ? [422, failure(undefined, made)] : [201, xmlOf(made)];
  }

  /** The card word of a stored card or of a nonce, which is valid once. */
  private cardOf({
    payment_method_nonce: nonce,
    payment_method_token: token = '',
  }: NonNullable<BraintreeRequest['transaction']>): string | undefined {
    if (nonce === undefined) return this.cards.get(token);
    return this.usedNonces.has(nonce) ? undefined : nonce.split('-')[0];
  }

  /** Whether it is a new card and the shop requires the bank's confirmation. */
  private isUnconfirmed({
    payment_method_nonce: nonce,
    options,
  }: NonNullable<BraintreeRequest['transaction']>): boolean {
    const isRequired = nonce !== undefined && options?.three_d_secure?.required === true;
    return isRequired && !this.confirmed.has(nonce);
  }

  private refund(found: Transaction, request: BraintreeRequest): BraintreeReply {
    const amount = Number(request.transaction?.amount ?? found.amount);
    // https://developer.paypal.com/braintree/docs/reference/general/validation-errors/all: 91506, 91521
    if (!['settled', 'settling'].includes(found.status)) return [422, failure('91506')];
    if (found.refunded + amount > Number(found.amount)) return [422, failure('91521')];
    found.refunded += amount;
    const back: Transaction = {
      ...found,
      id: `bt${this.next()}`,
      orderId: request.transaction?.order_id ?? '',
      status: 'submitted_for_settlement',
      refunded: 0,
    };
    this.transactions.push(back);
    return [201, xmlOf(back)];
  }

  private voided(found: Transaction): BraintreeReply {
    if (found.status !== 'submitted_for_settlement') return [422, failure('91504')];
    found.status = 'voided';
    return [200, xmlOf(found)];
  }

  private next(): number {
    this.count += 1;
    return this.count;
  }
}

export function xmlOf(made: Transaction): string {
  const refunds = made.refunded > 0 ? `<item>r${made.id}</item>` : '';
  return `<transaction><id>${made.id}</id><type>sale</type><order-id>${made.orderId}</order-id><amount>${made.amount}</amount><status>${made.status}</status><processor-response-code>${made.responseCode}</processor-response-code><processor-response-type>${made.responseType}</processor-response-type>${made.rejection ? `<gateway-rejection-reason>${made.rejection}</gateway-rejection-reason>` : ''}<refund-ids type="array">${refunds}</refund-ids><credit-card><token${made.token ? `>${made.token}</token>` : ' nil="true"/>'}<card-type>Visa</card-type><last-4>4242</last-4><expiration-month>12</expiration-month><expiration-year>2035</expiration-year></credit-card></transaction>`;
}

export function failure(code: string | undefined, made?: Transaction): string {
  const errors = code
    ? `<errors><errors type="array"/><transaction><errors type="array"><error><code>${code}</code><attribute>base</attribute><message>${code}</message></error></errors></transaction></errors>`
    : '<errors><errors type="array"/></errors>';
  return `<api-error-response>${errors}<message>${made ? 'Do Not Honor' : code}</message>${made ? xmlOf(made) : ''}</api-error-response>`;
}
