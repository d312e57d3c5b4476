// What delivery asks of a provider's webhooks: to read a call, and to tell in one form what came back of
// copies. Kinds live under providers/; main/ names them.
import type { HookProvider } from '../../webhooks-limits.ts';
import type { Cause } from './classification.ts';

export type { Cause };

/** What services that take names of ours for a copy are given, and give back: the token of its Message-ID. */
export const COPY_NAME = 'sendloom';

export type Told = {
  /** The teller's own id of the event: it has its effect once. */
  eventId: string;
  kind: 'bounce' | 'complaint' | 'unsubscribe';
  at: Date;
  /**
   * A complaint or bounce that anybody who saw the mail's Message-ID could have written: it counts, but
   * nobody is reported or closed by it.
   */
  isUnproven?: boolean;
  /** A bounce: refused for good; else it was given up or may yet arrive. */
  isPermanent: boolean;
  /** Where the teller knows better than its codes. */
  cause?: Cause | undefined;
  /** Enhanced status code or three digits, '' where none was given. */
  code: string;
  /** What the other side said, one line. */
  words: string;
  /** Texts that may be the copy's token: of its return path, Message-ID, links, or what it was named by. */
  traces: readonly string[];
  /**
   * The address that the copy was sent to, never one that it was sent on to: says whose it was where
   * nothing else does, and whether the person has another by now.
   */
  recipient?: string | undefined;
  /** Nobody knows who wrote that it went there: such a report closes no address but the person's present one. */
  isRecipientUnproven?: boolean;
};

/** A call of a provider, exactly as it came. */
export type HookCall = {
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
};

export type HookReading =
  /** Not from the provider, or not readable: the status of the answer says so. 503: not now. */
  | { is: 'refused'; status: 400 | 401 | 403 | 406 | 503; why: string }
  /** The provider asks whether it may send: the way to say yes, and what is signed with from now on. */
  | { is: 'subscription'; confirm: () => Promise<void>; key: string }
  /** `ticket`: what signs this one call, and no other. */
  | { is: 'told'; told: Told[]; ticket?: string };

export type KeyFault = 'notAPublicKey' | 'notUserAndPassword' | 'notAKey' | 'notATopic';

/** How the webhooks of one provider are read. Implemented by providers/; main/ names them. */
export type HookReader = {
  provider: HookProvider;
  /** `key`: what the account says that it signs with; undefined where none was given. */
  read(call: HookCall, key: string | undefined): Promise<HookReading>;
  /** `required`: nothing is believed without it; `offered`: the provider names it by itself. */
  key: 'required' | 'optional' | 'offered';
  /** Undefined where this may be a key; else what is wrong: `errors.<it>` of returns' words. */
  keyFault(key: string): KeyFault | undefined;
};
