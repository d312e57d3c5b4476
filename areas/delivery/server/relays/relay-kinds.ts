// What main/ gives delivery of each kind of relay: how to open one of an account's own, and how to try it.
import type { RelayKind, RelayTls } from '../../relay-limits.ts';
import type { Answer, HandOver, OpenRelay } from './provider.ts';

/** As an account settled it; the host was looked at and may be connected to only by `publicLookup`. */
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

/** One line of a trial's conversation; secrets are left out. */
export type TrialLine = { who: 'us' | 'relay' | 'note'; text: string };

export type Trial = {
  /** Where it ended. */
  answer: Answer;
  lines: TrialLine[];
};

export type RelayKinds = Record<
  RelayKind,
  {
    open(settings: RelaySettings): OpenRelay;
    attempt(settings: RelaySettings, message: HandOver, signal: AbortSignal): Promise<Trial>;
  }
>;
