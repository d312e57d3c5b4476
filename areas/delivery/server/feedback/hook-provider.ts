// Interface of readers of provider webhooks, which convert a call to feedback events.
// Implementations are in providers/; main/ registers them.
import type { HookProvider } from '../../webhooks-limits.ts';
import type { BounceCause } from './classification.ts';

export type { BounceCause };

/** Name of the custom field that carries the token of a copy's Message-ID to providers and back. */
export const COPY_NAME = 'sendloom';

export type FeedbackEvent = {
  /** The reporter's ID of the event; identifies repeated events. */
  eventId: string;
  kind: 'bounce' | 'complaint' | 'unsubscribe';
  at: Date;
  /**
   * Whether anyone who knows the copy's Message-ID could have forged the report. Then it is
   * counted, but changes no subscriber's status. The address of a single send without a subscriber
   * is suppressed for marketing only.
   */
  isUnproven?: boolean;
  /**
   * For a bounce: whether the copy was refused permanently, not abandoned after retries or still
   * being retried.
   */
  isPermanent: boolean;
  /** Set if the provider states the cause more precisely than the code does. */
  cause?: BounceCause | undefined;
  /** Enhanced status code or three digits; empty if there is none. */
  code: string;
  /** The other server's reply, as one line. */
  diagnostic: string;
  /**
   * Candidates for the copy's token, from its return path, Message-ID, links or custom fields.
   * Their signature shows which one is valid.
   */
  tokenCandidates: readonly string[];
  /**
   * The address that we sent the copy to, never an address that it was forwarded to. It identifies
   * the subscriber if there is no token and shows whether the subscriber has changed the address
   * since.
   */
  recipient?: string | undefined;
  /**
   * Whether `recipient` could be forged; then no address other than the subscriber's is suppressed.
   */
  isRecipientUnproven?: boolean;
};

/** A provider's call, exactly as received. */
export type FeedbackWebhookRequest = {
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
};

export type FeedbackWebhookResult =
  /**
   * The call is not from the provider, or is unreadable. `status` is the status of the response;
   * after a 503 the provider retries.
   */
  | { kind: 'refused'; status: 400 | 401 | 403 | 406 | 503; reason: string }
  /**
   * The provider asks to confirm the webhook: `confirm` does so, and `key` must be stored as the
   * signing key.
   */
  | { kind: 'subscription'; confirm: () => Promise<void>; key: string }
  /** `ticket` identifies the call; if set, a call with the same ticket is applied only once. */
  | { kind: 'accepted'; events: FeedbackEvent[]; ticket?: string };

export type KeyIssue = 'notAPublicKey' | 'notUserAndPassword' | 'notAKey' | 'notATopic';

/** Reads the calls of one provider. */
export type HookReader = {
  provider: HookProvider;
  /** `key` is the signing key from the settings; undefined if none is set. */
  read(call: FeedbackWebhookRequest, key: string | undefined): Promise<FeedbackWebhookResult>;
  /**
   * Whether users must enter the signing key (without one, calls are refused), may enter it, or
   * need not, because the provider sends it when it asks for confirmation (`offered`).
   */
  key: 'required' | 'optional' | 'offered';
  /**
   * Returns undefined for a plausible signing key, otherwise the key of an error text (under
   * `errors` in the feedback locale).
   */
  findKeyFault(key: string): KeyIssue | undefined;
};
