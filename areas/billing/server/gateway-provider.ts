// What billing wants of a card payment provider. Braintree, Stripe and the built-in test gateway
// implement it; one suite holds for all (gateways.test.ts).
import type { Currency } from '../limits.ts';

/** What became of one attempt to charge. */
export type ChargeOutcome =
  | { is: 'succeeded'; gatewayId: string; method?: StoredMethod | undefined }
  /** `code`: a word for the reason; `mayRetry`: false for cards that are lost, stolen or closed. */
  | { is: 'declined'; code: string; mayRetry: boolean; gatewayId?: string | undefined }
  /** The bank asks for more: what the payer's browser needs for it. */
  | { is: 'action_needed'; gatewayId: string; action: Record<string, string> }
  /** Nobody can know yet: the call was not answered. Never repeated with another key. */
  | { is: 'unknown' };

/** What the gateway says of an attempt that is asked for by its key. */
export type FoundCharge = ChargeOutcome | { is: 'none' } | { is: 'cannot_tell' };

/** A card that the gateway keeps: only its token and what people know it by. */
export type StoredMethod = {
  token: string;
  brand: string;
  last4: string;
  expMonth: number;
  expYear: number;
};

export type ChargeRequest = {
  /** At most one charge ever comes of one key. */
  key: string;
  /** The order's public id, as it is shown in the gateway's own pages. */
  order: string;
  /** Minor units. */
  amount: number;
  currency: Currency;
  /** Either what the card form gave, once; or a stored method's token. */
  card: { nonce: string; save: boolean } | { token: string };
  /** The payer is not there: the stored method is charged for a renewal. */
  offSession: boolean;
  /** Whose stored methods these are, and where receipts of the gateway go. */
  customer: { id: string; email: string };
};

export type RefundOutcome =
  | { is: 'succeeded' }
  | { is: 'failed'; code: string }
  | { is: 'unknown' };

/** What a webhook is about: it never changes anything by itself, it only makes us ask. */
export type GatewayEvent = {
  /** Equal for the same event however often it is told. */
  key: string;
  /** `dispute_won`: the bank decided for the seller, or the funds are back. `refund`: given back, here or there. */
  kind: 'charge' | 'dispute' | 'dispute_won' | 'refund';
  chargeKey: string;
  /** Of a dispute: the gateway's name of it, where it has one. */
  disputeId?: string;
  /**
   * Minor units. Of a dispute: what is disputed, undefined for all of the charge. Of a refund: what has gone back of
   * the charge so far, at least.
   */
  amount?: number;
};

export type HookCall = { headers: Record<string, string | undefined>; body: string };

/** A page of its own for card numbers, shown in a frame: they never reach our server. */
export type CardForm = {
  /** Scripts, frames and connections that the page needs, for its own Content-Security-Policy. */
  hosts: { script: string[]; frame: string[]; connect: string[]; form?: string[] };
  /** The page's script; it gets `window.cardForm` with the token and the words, then what is to be paid. */
  script: string;
  /** Fields to lay out; the script mounts the gateway's own into them. */
  styles?: string;
};

export type Gateway = {
  name: 'test' | 'braintree' | 'stripe';
  /** What the card form needs to begin: the specification's `client_token`. */
  clientToken(currency: Currency, customer: { id: string }): Promise<string>;
  cardForm(): CardForm;
  /**
   * `begun` hears the gateway's name of the attempt as soon as there is one and before money can move: whoever
   * comes after a kill asks by it.
   */
  charge(
    request: ChargeRequest,
    begun: (gatewayId: string) => Promise<void>,
  ): Promise<ChargeOutcome>;
  /** By the key; `order` helps where the gateway searches by it. */
  find(asked: { key: string; order: string; gatewayId: string | null }): Promise<FoundCharge>;
  /** Gives up an attempt that waits for the payer. */
  cancel(asked: { key: string; gatewayId: string }): Promise<FoundCharge>;
  refund(request: {
    key: string;
    gatewayId: string;
    amount: number;
    currency: Currency;
  }): Promise<RefundOutcome>;
  forget(token: string): Promise<void>;
  /** Undefined for what is not signed by the gateway. */
  readHook(call: HookCall): Promise<GatewayEvent[] | undefined>;
};
