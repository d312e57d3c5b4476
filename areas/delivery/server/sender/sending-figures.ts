// Figures of a process's senders for monitoring: metrics, the relays that the operator sees, the
// current rate, and whether email can be sent. Accounts' own relays are summed under one name: they
// start and stop, and their names are private.
import type { MetricSample } from '#platform/server/metrics.ts';
import {
  type HandoffOutcome,
  type RelayReport,
  type RelayState,
  waitOf,
} from '../relays/provider.ts';
import type { SenderFigures } from './sender.ts';
import type { RunningSenders } from './senders.ts';

const OWN_RELAYS_NAME = 'accounts';
const STATES: readonly RelayState['is'][] = ['ready', 'waiting', 'refused'];

type Value = { labels: Record<string, string>; value: number };

export function sendingFigures({ shared, own, ended }: AllFigures): MetricSample[] {
  const relays = [
    ...shared.relays.map((report) => ({ relay: report.name, report })),
    ...own.flatMap(({ relays: list }) =>
      list.map((report) => ({ relay: OWN_RELAYS_NAME, report })),
    ),
  ];
  const of = (value: (report: RelayReport) => number): Value[] =>
    summed(relays.map(({ relay, report }) => ({ labels: { relay }, value: value(report) })));
  const limited = relays.filter(({ report }) => Number.isFinite(report.figures.allowedPerSecond));
  return [
    {
      kind: 'counter',
      name: 'handoffs_total',
      help: 'Responses of relays to handoffs',
      values: summed([
        ...relays.flatMap(({ relay, report }) => answersOf(relay, report.answers)),
        ...answersOf(OWN_RELAYS_NAME, ended),
      ]),
    },
    {
      kind: 'gauge',
      name: 'relays',
      help: 'Relays by state: ready, waiting (unreachable, or only its reserve for urgent email is left) or refused',
      values: summed(
        relays.flatMap(({ relay, report }) =>
          STATES.map((state) => ({
            labels: { relay, state },
            value: (waitOf(report.state)?.is ?? 'ready') === state ? 1 : 0,
          })),
        ),
      ),
    },
    {
      kind: 'gauge',
      name: 'relay_connections',
      help: 'Open connections to relays',
      values: of(({ figures }) => figures.connections),
    },
    {
      kind: 'gauge',
      name: 'relay_handoffs_in_flight',
      help: 'Handoffs at relays without a response yet',
      values: of(({ figures }) => figures.inFlight),
    },
    {
      kind: 'gauge',
      name: 'relay_allowed_per_second',
      help: 'Current rate limit in messages per second; absent without a limit',
      values: summed(
        limited.map(({ relay, report }) => ({
          labels: { relay },
          value: report.figures.allowedPerSecond,
        })),
      ),
    },
    ...senderFigures(shared, own),
  ];
}

type AllFigures = ReturnType<RunningSenders['figures']>;

function senderFigures(shared: SenderFigures, own: readonly SenderFigures[]): MetricSample[] {
  const samples = [shared, ...own].flatMap(
    ({ started: { waiting, inFlight: inProgress, answered } }) => [
      { labels: { is: 'waiting' }, value: waiting },
      { labels: { is: 'under_way' }, value: inProgress },
      { labels: { is: 'answered' }, value: answered },
    ],
  );
  return [
    {
      kind: 'gauge',
      name: 'sender_outstanding',
      help: 'Handoffs without a recorded result: queued in the process, at a relay, or being recorded',
      values: summed(samples),
    },
    {
      kind: 'gauge',
      name: 'sender_accounts',
      help: 'Accounts that are sending through relays of their own',
      values: [{ value: own.length }],
    },
    {
      kind: 'gauge',
      name: 'sending_paused',
      help: '1 while sending is paused after a restore',
      values: [{ value: shared.isPaused ? 1 : 0 }],
    },
  ];
}

function answersOf(relay: string, answers: Readonly<Record<HandoffOutcome, number>>): Value[] {
  return Object.entries(answers).map(([outcome, value]) => ({ labels: { relay, outcome }, value }));
}

/** Sums values with identical labels, since relays may share a name. */
function summed(values: readonly Value[]): Value[] {
  const sums = new Map<string, Value>();
  for (const { labels, value } of values) {
    const key = Object.values(labels).join('\n');
    const sum = sums.get(key);
    if (sum) sum.value += value;
    else sums.set(key, { labels, value });
  }
  return [...sums.values()];
}

/** A relay of the installation, as the operator sees it. */
export type RelayFacts = {
  name: string;
  is: RelayState['is'];
  /** The relay's reply, while it waits or refuses. */
  reply: string;
  /** Handoffs accepted since the start of the process. */
  accepted: number;
  /** All other replies, including deferrals. */
  refused: number;
};

export function relayFacts({ shared: { relays } }: AllFigures): RelayFacts[] {
  return relays.map(({ name, state, answers }) => {
    const { accepted = 0, ...others } = answers as Record<string, number>;
    const refused = Object.values(others).reduce((sum, count) => sum + count, 0);
    const reply = state.is === 'ready' ? '' : `${state.answer.code || ''} ${state.answer.reply}`;
    return { name, is: state.is, reply: reply.trim(), accepted, refused };
  });
}

const PACE_MS = 60_000;

/**
 * Returns a function that measures, at each call, how many emails per minute the relays of all
 * accounts accepted since about a minute ago; null at the first call.
 */
export function paceMeter(
  read: () => AllFigures,
  now: () => number = () => performance.now(),
): () => number | null {
  const readings: { at: number; count: number }[] = [];
  return () => {
    const { shared, own, ended } = read();
    const relays = [shared, ...own].flatMap((figures) => figures.relays);
    const count = relays.reduce((sum, { answers }) => sum + answers.accepted, ended.accepted);
    const at = now();
    readings.push({ at, count });
    // At least the last two measurements remain, even if they are further apart than a minute.
    while (readings.length > 2 && at - (readings[0]?.at ?? at) > PACE_MS) readings.shift();
    const [first] = readings;
    if (!first || first.at === at) return null;
    return Math.max(0, Math.round(((count - first.count) * 60_000) / (at - first.at)));
  };
}

/**
 * Throws if none of the installation's relays is usable. Waiting for a used-up limit is no fault.
 */
export function checkRelays({ shared: { relays } }: AllFigures): void {
  const problems: string[] = [];
  for (const { name, state } of relays) {
    if (state.is === 'ready' || (state.is === 'waiting' && state.isLimit)) return;
    const reason = `${state.answer.code || ''} ${state.answer.reply}`.trim();
    problems.push(`${name} (${state.is}: ${reason})`);
  }
  throw new Error(`No relay is usable: ${problems.join('; ')}.`);
}
