// Interface of a provider's webhooks: reads a call and returns its events in one form.
// Implementations are in providers/; main/ registers them.
import type { HookProvider } from '../../webhooks-limits.ts';
import type { Cause } from './classification.ts';

export type { Cause };

/** The name under which providers receive and return the token of a copy's Message-ID. */
export const COPY_NAME = 'sendloom';

export type FeedbackEvent = {
  /** The reporter's own id of the event, so that a repeated event has no further effect. */
  eventId: string;
  kind: 'bounce' | 'complaint' | 'unsubscribe';
  at: Date;
  /**
   * A complaint or bounce that could be forged by a reader of the email's Message-ID: it counts,
   * but changes no status and marks no address as bounced.
   */
  isUnproven?: boolean;
  /**
   * For a bounce: true if it was refused permanently; false if it was abandoned or is being
   * retried.
   */
  isPermanent: boolean;
  /** Present if the provider states the cause more precisely than the codes do. */
  cause?: Cause | undefined;
  /** Enhanced status code or three digits, '' for none. */
  code: string;
  /** The reply of the other server, one line. */
  words: string;
  /**
   * Texts that may contain the copy's token: from its return path, Message-ID, links or custom
   * arguments.
   */
  traces: readonly string[];
  /**
   * The address to which the copy was sent, never one to which it was forwarded. It identifies the
   * subscriber if there is no token, and shows whether the address has changed since.
   */
  recipient?: string | undefined;
  /** The recipient is unproven: such a report closes only the subscriber's current address. */
  isRecipientUnproven?: boolean;
};

/** A provider's call, exactly as received. */
export type FeedbackWebhookRequest = {
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
};

export type FeedbackWebhookResult =
  /**
   * The call is not from the provider or is unreadable; `status` is that of the response. With 503
   * the provider retries later.
   */
  | { is: 'refused'; status: 400 | 401 | 403 | 406 | 503; why: string }
  /**
   * The provider requires a confirmation: `confirm` sends it, and `key` is the signing key from
   * then on.
   */
  | { is: 'subscription'; confirm: () => Promise<void>; key: string }
  /** `ticket`: the signature of this call, valid once. */
  | { is: 'accepted'; events: FeedbackEvent[]; ticket?: string };

export type KeyFault = 'notAPublicKey' | 'notUserAndPassword' | 'notAKey' | 'notATopic';

/** Reader of one provider's webhooks. Implemented in providers/; main/ registers them. */
export type HookReader = {
  provider: HookProvider;
  /** `key`: the signing key from the account's settings; undefined if none is set. */
  read(call: FeedbackWebhookRequest, key: string | undefined): Promise<FeedbackWebhookResult>;
  /**
   * `required`: calls without a valid key are refused; `offered`: the provider sends the key
   * itself.
   */
  key: 'required' | 'optional' | 'offered';
  /**
   * Returns undefined for a plausible key; otherwise the key of a text under `errors` of the
   * feedback texts.
   */
  keyFault(key: string): KeyFault | undefined;
};
