// Transactions and stored cards of the Braintree test server, with responses in the XML that
// Braintree's library parses. The first word of a nonce is the behavior of its card: `pays`, `lost`
// …

export type BraintreeTransaction = {
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
 * Braintree's real host, because the browser library accepts no other. Browser calls are routed to
 * this server.
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
 * The processor's code and type for each behavior of a card that is always declined.
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
  readonly transactions: BraintreeTransaction[] = [];
  readonly cards = new Map<string, string>();
  /** Nonces that the bank has confirmed (3-D Secure). */
  readonly confirmedNonces = new Set<string>();
  private readonly usedNonces = new Set<string>();
  private count = 0;

  handleRequest(method: string, path: string, request: BraintreeRequest): BraintreeReply {
    const [, , , kind = '', id = '', action = ''] = path.split('/');
    if (kind === 'client_token')
      return [201, `<client-token><value>${CLIENT_TOKEN}</value></client-token>`];
    if (kind === 'payment_methods') {
      this.cards.delete(path.split('/').at(-1) ?? '');
      return [200, ''];
    }
    if (kind !== 'transactions') return [404, ''];
    if (id.startsWith('advanced_search')) return this.search(id, request);
    if (method === 'POST' && id === '') return this.createSale(request.transaction ?? {});
    const transaction = this.transactions.find((transaction) => transaction.id === id);
    if (!transaction) return [404, ''];
    if (action === 'refund') return this.refund(transaction, request);
    if (action === 'void') return this.voidTransaction(transaction);
    return [200, toXml(transaction)];
  }

  /**
   * Answers calls of the card form in the browser: whether the bank requires a challenge, and the
   * challenge's result.
   */
  handleClientCall(path: string, request: BraintreeRequest): BraintreeReply {
    if (path.endsWith('/configuration')) return [200, JSON.stringify(CLIENT_CONFIGURATION)];
    const [, nonce = '', step] =
      /payment_methods\/([^/]+)\/three_d_secure\/(lookup|authenticate_from_jwt)$/.exec(path) ?? [];
    const mustChallenge = step === 'lookup' && nonce.startsWith('asks');
    const isConfirmed = step === 'lookup' ? !mustChallenge : request.jwt === 'confirmed';
    const next = isConfirmed ? `pays-c${this.next()}` : nonce;
    if (isConfirmed) this.confirmedNonces.add(next);
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

  /** Settles all payments. A settled payment can be refunded but no longer voided. */
  settle(): void {
    for (const transaction of this.transactions)
      if (transaction.status === 'submitted_for_settlement') transaction.status = 'settled';
  }

  private search(searchPath: string, request: BraintreeRequest): BraintreeReply {
    if (searchPath === 'advanced_search_ids') {
      const ids = this.transactions
        .filter((transaction) => transaction.orderId === request.search?.order_id?.is)
        .map((transaction) => `<item>${transaction.id}</item>`);
      return [
        200,
        `<search-results><page-size type="integer">50</page-size><ids type="array">${ids.join('')}</ids></search-results>`,
      ];
    }
    const matches = this.transactions.filter((transaction) =>
      request.search?.ids?.includes(transaction.id),
    );
    return [
      200,
      `<credit-card-transactions type="collection"><page-size type="integer">50</page-size>${matches.map(toXml).join('')}</credit-card-transactions>`,
    ];
  }

  private createSale(request: NonNullable<BraintreeRequest['transaction']>): BraintreeReply {
    const nonce = request.payment_method_nonce;
    const card = this.findCard(request);
    if (card === undefined) return [422, failure('91565')];
    if (nonce !== undefined) this.usedNonces.add(nonce);
    const isUnconfirmed = this.isUnconfirmed(request);
    const decline = declineOf(card, request);
    const isRefused = isUnconfirmed || decline !== undefined;
    const isStored = request.options?.store_in_vault_on_success === true && !isRefused;
    const transaction: BraintreeTransaction = {
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
    if (isStored && transaction.token) this.cards.set(transaction.token, card);
    this.transactions.push(transaction);
    return isRefused ? [422, failure(undefined, transaction)] : [201, toXml(transaction)];
  }

  /**
   * Returns the behavior of a stored card or of a nonce, or undefined if the nonce was used before.
   */
  private findCard({
    payment_method_nonce: nonce,
    payment_method_token: token = '',
  }: NonNullable<BraintreeRequest['transaction']>): string | undefined {
    if (nonce === undefined) return this.cards.get(token);
    return this.usedNonces.has(nonce) ? undefined : nonce.split('-')[0];
  }

  /** Returns whether this is a new card without the required confirmation by the bank. */
  private isUnconfirmed({
    payment_method_nonce: nonce,
    options,
  }: NonNullable<BraintreeRequest['transaction']>): boolean {
    const isRequired = nonce !== undefined && options?.three_d_secure?.required === true;
    return isRequired && !this.confirmedNonces.has(nonce);
  }

  private refund(transaction: BraintreeTransaction, request: BraintreeRequest): BraintreeReply {
    const amount = Number(request.transaction?.amount ?? transaction.amount);
    // https://developer.paypal.com/braintree/docs/reference/general/validation-errors/all: 91506,
    // 91521
    if (!['settled', 'settling'].includes(transaction.status)) return [422, failure('91506')];
    if (transaction.refunded + amount > Number(transaction.amount)) return [422, failure('91521')];
    transaction.refunded += amount;
    const refundTransaction: BraintreeTransaction = {
      ...transaction,
      id: `bt${this.next()}`,
      orderId: request.transaction?.order_id ?? '',
      status: 'submitted_for_settlement',
      refunded: 0,
    };
    this.transactions.push(refundTransaction);
    return [201, toXml(refundTransaction)];
  }

  private voidTransaction(transaction: BraintreeTransaction): BraintreeReply {
    if (transaction.status !== 'submitted_for_settlement') return [422, failure('91504')];
    transaction.status = 'voided';
    return [200, toXml(transaction)];
  }

  private next(): number {
    this.count += 1;
    return this.count;
  }
}

export function toXml(transaction: BraintreeTransaction): string {
  const refunds = transaction.refunded > 0 ? `<item>r${transaction.id}</item>` : '';
  return `<transaction><id>${transaction.id}</id><type>sale</type><order-id>${transaction.orderId}</order-id><amount>${transaction.amount}</amount><status>${transaction.status}</status><processor-response-code>${transaction.responseCode}</processor-response-code><processor-response-type>${transaction.responseType}</processor-response-type>${transaction.rejection ? `<gateway-rejection-reason>${transaction.rejection}</gateway-rejection-reason>` : ''}<refund-ids type="array">${refunds}</refund-ids><credit-card><token${transaction.token ? `>${transaction.token}</token>` : ' nil="true"/>'}<card-type>Visa</card-type><last-4>4242</last-4><expiration-month>12</expiration-month><expiration-year>2035</expiration-year></credit-card></transaction>`;
}

export function failure(code: string | undefined, transaction?: BraintreeTransaction): string {
  const errors = code
    ? `<errors><errors type="array"/><transaction><errors type="array"><error><code>${code}</code><attribute>base</attribute><message>${code}</message></error></errors></transaction></errors>`
    : '<errors><errors type="array"/></errors>';
  return `<api-error-response>${errors}<message>${transaction ? 'Do Not Honor' : code}</message>${transaction ? toXml(transaction) : ''}</api-error-response>`;
}
