// Figures of a process's senders for monitoring: metrics, the relays that the operator sees, the
// current rate, and whether email can be sent. Accounts' own relays are summed under one name: they
// start and stop, and their names are private.
import type { MetricSample } from '#platform/server/metrics.ts';
import {
  type HandoffOutcome,
  type RelayReport,
  type RelayState,
  describeWait,
} from '../relays/provider.ts';
import type { SenderStatistics } from './sender.ts';
import type { RunningSenders } from './senders.ts';

const OWN_RELAYS_NAME = 'accounts';
const STATES: readonly RelayState['kind'][] = ['ready', 'waiting', 'refused'];

type LabeledValue = { labels: Record<string, string>; value: number };

const isLimited = ({ report }: { report: RelayReport }) =>
  Number.isFinite(report.statistics.allowedPerSecond);

export function collectMetrics({ shared, perAccount, stoppedCounts }: Statistics): MetricSample[] {
  const relays = [
    ...shared.relays.map((report) => ({ relay: report.name, report })),
    ...perAccount.flatMap(({ relays: list }) =>
      list.map((report) => ({ relay: OWN_RELAYS_NAME, report })),
    ),
  ];
  const sumValues = (value: (report: RelayReport) => number): LabeledValue[] =>
    sumByLabels(relays.map(({ relay, report }) => ({ labels: { relay }, value: value(report) })));
  return [
    {
      kind: 'counter',
      name: 'handoffs_total',
      help: 'Responses of relays to handoffs',
      values: sumByLabels([
        ...relays.flatMap(({ relay, report }) => outcomesOf(relay, report.outcomeCounts)),
        ...outcomesOf(OWN_RELAYS_NAME, stoppedCounts),
      ]),
    },
    {
      kind: 'gauge',
      name: 'relays',
      help: 'Relays by state: ready, waiting (unreachable, or only its reserve for urgent email is left) or refused',
      values: sumByLabels(
        relays.flatMap(({ relay, report }) =>
          STATES.map((state) => ({
            labels: { relay, state },
            value: (describeWait(report.state)?.kind ?? 'ready') === state ? 1 : 0,
          })),
        ),
      ),
    },
    {
      kind: 'gauge',
      name: 'relay_connections',
      help: 'Open connections to relays',
      values: sumValues(({ statistics }) => statistics.connections),
    },
    {
      kind: 'gauge',
      name: 'relay_handoffs_in_flight',
      help: 'Handoffs at relays without a response yet',
      values: sumValues(({ statistics }) => statistics.inFlight),
    },
    {
      kind: 'gauge',
      name: 'relay_allowed_per_second',
      help: 'Current rate limit in messages per second; absent without a limit',
      values: sumByLabels(
        relays.filter(isLimited).map(({ relay, report }) => ({
          labels: { relay },
          value: report.statistics.allowedPerSecond,
        })),
      ),
    },
    ...senderFigures(shared, perAccount),
  ];
}

type Statistics = ReturnType<RunningSenders['getStatistics']>;

function senderFigures(
  sharedSender: SenderStatistics,
  ownSenders: readonly SenderStatistics[],
): MetricSample[] {
  const samples = [sharedSender, ...ownSenders].flatMap(
    ({ outstanding: { waiting, inFlight: inProgress, unrecorded } }) => [
      { labels: { is: 'waiting' }, value: waiting },
      { labels: { is: 'under_way' }, value: inProgress },
      { labels: { is: 'answered' }, value: unrecorded },
    ],
  );
  return [
    {
      kind: 'gauge',
      name: 'sender_outstanding',
      help: 'Handoffs without a recorded result: queued in the process, at a relay, or being recorded',
      values: sumByLabels(samples),
    },
    {
      kind: 'gauge',
      name: 'sender_accounts',
      help: 'Accounts that are sending through relays of their own',
      values: [{ value: ownSenders.length }],
    },
    {
      kind: 'gauge',
      name: 'sending_paused',
      help: '1 while sending is paused after a restore',
      values: [{ value: sharedSender.isPaused ? 1 : 0 }],
    },
  ];
}

function outcomesOf(
  relay: string,
  outcomeCounts: Readonly<Record<HandoffOutcome, number>>,
): LabeledValue[] {
  return Object.entries(outcomeCounts).map(([outcome, value]) => ({
    labels: { relay, outcome },
    value,
  }));
}

/** Sums values with identical labels because relays may share a name. */
function sumByLabels(values: readonly LabeledValue[]): LabeledValue[] {
  const totals = new Map<string, LabeledValue>();
  for (const { labels, value } of values) {
    const key = Object.values(labels).join('\n');
    const total = totals.get(key);
    if (total) total.value += value;
    else totals.set(key, { labels, value });
  }
  return [...totals.values()];
}

/** A relay of the installation, as the operator sees it. */
export type RelayStatus = {
  name: string;
  is: RelayState['kind'];
  /** The relay's reply, while it waits or refuses. */
  reply: string;
  /** Handoffs accepted since the start of the process. */
  accepted: number;
  /** All other replies, including deferrals. */
  refused: number;
};

export function listRelayStates({ shared: { relays } }: Statistics): RelayStatus[] {
  return relays.map(({ name, state, outcomeCounts }) => {
    const { accepted = 0, ...others } = outcomeCounts as Record<string, number>;
    const refusedCount = Object.values(others).reduce((total, count) => total + count, 0);
    const reply = state.kind === 'ready' ? '' : `${state.result.code || ''} ${state.result.reply}`;
    return { name, is: state.kind, reply: reply.trim(), accepted, refused: refusedCount };
  });
}

const PACE_MS = 60_000;

/**
 * Returns a function that computes, at each call, how many emails per minute the relays of the
 * installation and of all accounts accepted in about the last minute; null at the first call.
 */
export function createPaceMeter(
  readFigures: () => Statistics,
  now: () => number = () => performance.now(),
): () => number | null {
  const readings: { at: number; count: number }[] = [];
  return () => {
    const { shared, perAccount, stoppedCounts } = readFigures();
    const relays = [shared, ...perAccount].flatMap((relayStatistics) => relayStatistics.relays);
    const count = relays.reduce(
      (total, { outcomeCounts }) => total + outcomeCounts.accepted,
      stoppedCounts.accepted,
    );
    const measuredAt = now();
    readings.push({ at: measuredAt, count });
    // At least the last two measurements remain, even if they are further apart than a minute.
    while (readings.length > 2 && measuredAt - (readings[0]?.at ?? measuredAt) > PACE_MS)
      readings.shift();
    const [first] = readings;
    if (!first || first.at === measuredAt) return null;
    return Math.max(0, Math.round(((count - first.count) * 60_000) / (measuredAt - first.at)));
  };
}

/**
 * Throws if none of the installation's relays is usable. Waiting for a used-up limit is not a
 * failure.
 */
export function checkRelays({ shared: { relays } }: Statistics): void {
  const problems: string[] = [];
  for (const { name, state } of relays) {
    if (state.kind === 'ready' || (state.kind === 'waiting' && state.isLimit)) return;
    const reason = `${state.result.code || ''} ${state.result.reply}`.trim();
    problems.push(`${name} (${state.kind}: ${reason})`);
  }
  throw new Error(`No relay is usable: ${problems.join('; ')}.`);
}
