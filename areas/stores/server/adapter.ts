// What a platform of shops has to be able to do. Providers do it; main/ says which there are.
import type { ToldCustomer, ToldOrder, ToldProduct } from './told.ts';

/** How a store is reached; sealed while it rests. */
export type Credentials = { address: string; key: string; secret: string };

export type Kind = 'products' | 'customers' | 'orders';

export type ShopFacts = { title: string; domain: string; currency: string; zone: string | null };

export type Pulled = {
  customers?: readonly ToldCustomer[];
  products?: readonly ToldProduct[];
  orders?: readonly ToldOrder[];
  /** Where the next call goes on; null at the end. */
  next: string | null;
  /** The platform asks for a rest before the next call. */
  waitMs?: number;
};

export type HookCall = {
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
};

export type HookReading =
  /** A first call that only asks whether somebody is there. */
  | { is: 'ping' }
  /** Nobody knows who sent it. */
  | { is: 'refused' }
  | { is: 'told'; key: string; topic: string; body: unknown };

export type Told = {
  customers?: readonly ToldCustomer[];
  products?: readonly ToldProduct[];
  orders?: readonly ToldOrder[];
  /** By the shop's own number: sold no more. */
  goneProducts?: readonly string[];
  /** The shop took our access away. */
  isUninstalled?: boolean;
};

export interface Adapter {
  readonly type: string;
  /** Who the shop is. Throws `ShopError`. */
  check(credentials: Credentials, signal: AbortSignal): Promise<ShopFacts>;
  /** Has the shop tell us by itself; what is there already stays. Returns what signs its calls. */
  registerHooks(
    credentials: Credentials,
    hook: {
      url: string;
      secret: string;
      /** Called for each topic that the shop answers but does not register, with its reason. */
      onRefused?: (topic: string, reason: string) => void;
    },
    signal: AbortSignal,
  ): Promise<string>;
  /** One page of what changed since. */
  pull(
    credentials: Credentials,
    kind: Kind,
    at: { since: Date | null; cursor: string | null; zone: string },
    signal: AbortSignal,
  ): Promise<Pulled>;
  readHook(call: HookCall, secret: string): HookReading;
  /** What a hook says; undefined for a topic that means nothing here. */
  readTold(topic: string, body: unknown, moment: { zone: string; now: Date }): Told | undefined;
  /** Takes our hooks back. */
  disconnect(credentials: Credentials, hook: { url: string }, signal: AbortSignal): Promise<void>;
}

export type ShopFault =
  /** The keys are not taken. */
  | 'refused'
  /** Nobody answers, or something that is no such shop. */
  | 'unreachable'
  | 'not_a_shop'
  | 'https_needed'
  /** Come again later. */
  | 'busy';

/** A shop that cannot be spoken with, and why. */
export class ShopError extends Error {
  readonly fault: ShopFault;
  readonly retryAfterMs: number | undefined;

  constructor(fault: ShopFault, words: string, retryAfterMs?: number) {
    super(words);
    this.fault = fault;
    this.retryAfterMs = retryAfterMs;
  }
}

let adapters = new Map<string, Adapter>();

export function configureAdapters(list: readonly Adapter[]): void {
  adapters = new Map(list.map((adapter) => [adapter.type, adapter]));
}

/** The adapter of this platform; undefined for shops that are spoken with by their plugin alone. */
export function adapterOf(type: string): Adapter | undefined {
  return adapters.get(type);
}
