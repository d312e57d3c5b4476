// Interface of card payment providers. Braintree, Stripe and the built-in test gateway implement
// it; one test suite covers all (gateways.test.ts).
import type { Currency } from '../shared.ts';

/** Result of a charge attempt. */
export type ChargeOutcome =
  | { status: 'succeeded'; gatewayId: string; method?: StoredMethod | undefined }
  /** Declined. `code`: the reason; `mayRetry`: false for lost, stolen or closed cards. */
  | { status: 'declined'; code: string; mayRetry: boolean; gatewayId?: string | undefined }
  /** The bank requires authentication: data for the payer's browser. */
  | { status: 'action_needed'; gatewayId: string; action: Record<string, string> }
  /** The call had no response. Never retried with another key. */
  | { status: 'unknown' };

/**
 * Result of looking up an attempt by its key. `none`: the gateway knows no such attempt;
 * `cannot_tell`: the lookup failed.
 */
export type FoundCharge = ChargeOutcome | { status: 'none' } | { status: 'cannot_tell' };

/** A card stored at the gateway: its token and displayed details. */
export type StoredMethod = {
  token: string;
  brand: string;
  last4: string;
  expMonth: number;
  expYear: number;
};

export type ChargeRequest = {
  /** Idempotency key: at most one charge per key. */
  key: string;
  /** Public id of the order, shown in the gateway's dashboard. */
  order: string;
  /** Minor units. */
  amount: number;
  currency: Currency;
  /** Either a single-use token of the card form, or the token of a stored method. */
  card: { nonce: string; save: boolean } | { token: string };
  /** Whether this is a renewal, which charges the stored method without the payer. */
  isOffSession: boolean;
  /** The payer, to whom the gateway assigns stored methods. `id` is the account's public ID. */
  customer: { id: string; email: string };
};

export type RefundOutcome =
  | { status: 'succeeded' }
  | { status: 'failed'; code: string }
  | { status: 'unknown' };

/**
 * The event that a webhook reports. An event about a charge only triggers a lookup; disputes and
 * refunds are recorded as reported.
 */
export type GatewayEvent = {
  /** Id of the event, the same for repeats. */
  key: string;
  /**
   * `dispute_won`: the bank decided for the seller, or the funds are back. `refund`: refunded here
   * or at the gateway.
   */
  kind: 'charge' | 'dispute' | 'dispute_won' | 'refund';
  chargeKey: string;
  /** The gateway's ID of the dispute, if it has one. */
  disputeId?: string;
  /**
   * In minor units; undefined for the whole charge. For a dispute, the disputed amount. For a
   * refund, an amount that the total of all refunds of the charge has reached or exceeded.
   */
  amount?: number;
};

export type GatewayWebhookRequest = { headers: Record<string, string | undefined>; body: string };

/** A separate page for card numbers, shown in a frame so that they never reach our server. */
export type CardForm = {
  /** Hosts of scripts, frames and connections for the page's own Content-Security-Policy. */
  hosts: { script: string[]; frame: string[]; connect: string[]; form?: string[] };
  /**
   * Script of the page. It calls `cardForm.mount` with a function that gets the token and returns
   * the function that submits a payment.
   */
  script: string;
  /** Style sheet of the gateway's fields, in addition to the page's. */
  styles?: string;
};

export type Gateway = {
  name: 'test' | 'braintree' | 'stripe';
  /** Initialization data of the card form: the response of `orders/client_token`. */
  createClientToken(currency: Currency, customer: { id: string }): Promise<string>;
  getCardForm(): CardForm;
  /**
   * `onStarted` is called with the gateway's id of the attempt as soon as it is known and before
   * money can move, so that a lookup after a crash can use it.
   */
  charge(
    request: ChargeRequest,
    onStarted: (gatewayId: string) => Promise<void>,
  ): Promise<ChargeOutcome>;
  /** Looks up an attempt by key; `order` helps gateways that search by it. */
  find(query: { key: string; order: string; gatewayId: string | null }): Promise<FoundCharge>;
  /** Cancels an attempt that waits for the payer. */
  cancel(query: { key: string; gatewayId: string }): Promise<FoundCharge>;
  refund(request: {
    key: string;
    gatewayId: string;
    amount: number;
    currency: Currency;
  }): Promise<RefundOutcome>;
  deleteMethod(token: string): Promise<void>;
  /** Returns undefined for calls without a valid signature of the gateway. */
  parseWebhook(call: GatewayWebhookRequest): Promise<GatewayEvent[] | undefined>;
};
