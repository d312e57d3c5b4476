// Types of the functions that main/ provides for each kind of relay: one opens an account's own
// relay, one tests it.
import type { RelayKind, RelayTls } from '../../relay-limits.ts';
import type { HandoffResult, Handoff, OpenRelay } from './provider.ts';

/**
 * Settings of an account's own relay. The host was checked when it was entered; connections must
 * resolve it by `publicLookup`.
 */
export type RelaySettings = {
  host: string;
  port: number;
  tls: RelayTls;
  username: string;
  password: string;
  connections: number;
  messages: number;
  hasChunking: boolean;
};

/** One line of a test's conversation, without secrets. */
export type TrialLine = { who: 'us' | 'relay' | 'note'; text: string };

export type Trial = {
  /** The final reply. */
  result: HandoffResult;
  lines: TrialLine[];
};

export type RelayKinds = Record<
  RelayKind,
  {
    open(settings: RelaySettings): OpenRelay;
    attempt(settings: RelaySettings, message: Handoff, signal: AbortSignal): Promise<Trial>;
  }
>;
