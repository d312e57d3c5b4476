// What comes back of copies, as reports by mail and providers' webhooks tell it, in one form.
import type { HookProvider } from '../../webhooks-limits.ts';
import type { Cause } from './classification.ts';

export type Told = {
  /** The teller's own id of the event: it has its effect once. */
  eventId: string;
  kind: 'bounce' | 'complaint' | 'unsubscribe';
  at: Date;
  /** A bounce: refused for good; else it was given up or may yet arrive. */
  isPermanent: boolean;
  /** Where the teller knows better than its codes. */
  cause?: Cause | undefined;
  /** Enhanced status code or three digits, '' where none was given. */
  code: string;
  /** What the other side said, one line. */
  words: string;
  /** Texts that may hold the copy's token: return path, Message-ID. */
  traces: readonly string[];
  /** The address, where nothing else says which copy it was. */
  recipient?: string | undefined;
};

/** One recipient in a report by mail; the address is empty where the report names none. */
export type BouncedCopy = { recipient: string; code: string; words: string };

/** A call of a provider, exactly as it came. */
export type HookCall = {
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
};

export type HookReading =
  /** Not from the provider, or not readable: the status of the answer says so. */
  | { is: 'refused'; status: 400 | 401 | 403 | 406; why: string }
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

const MOST_WORDS = 500;

/** One line without control characters, as it may be shown. */
export function oneLine(text: string): string {
  return text
    .slice(0, 4 * MOST_WORDS)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, MOST_WORDS);
}

/** An instant that may be believed: never in the future, never older than a month. */
export function plausible(at: Date, now: Date): Date {
  const time = at.getTime();
  const isLikely = time <= now.getTime() && time > now.getTime() - 31 * 86_400_000;
  return isLikely ? at : now;
}
