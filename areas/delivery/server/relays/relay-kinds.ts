// Functions that main/ provides for each kind of relay: opening an account's own relay, and testing
// it.
import type { RelayKind, RelayTls } from '../../relay-limits.ts';
import type { Answer, Handoff, OpenRelay } from './provider.ts';

/**
 * Settings of an account's relay; the host was checked and may be connected to only through
 * `publicLookup`.
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
  answer: Answer;
  lines: TrialLine[];
};

export type RelayKinds = Record<
  RelayKind,
  {
    open(settings: RelaySettings): OpenRelay;
    attempt(settings: RelaySettings, message: Handoff, signal: AbortSignal): Promise<Trial>;
  }
>;
