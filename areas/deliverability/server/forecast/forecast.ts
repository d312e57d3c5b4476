// Forecasts the results of a campaign from its audience and past campaigns. `forecastAudience`
// reads the data; `forecastOf` is pure.
import { readAccount } from '#areas/accounts/server/index.ts';
import { type Audience, readSendPace } from '#areas/delivery/server/ledger/index.ts';
import { inactiveSince } from '#areas/segments/server/index.ts';
import { MAILBOXES } from '#areas/subscribers/shared.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { Forecast, Metrics } from '../../forecast-contract.ts';
import { INACTIVE_MONTHS, type Metric, METRICS } from '../../forecast-shared.ts';
import { type Scales, scalesAfter } from './calibration.ts';
import { type AudienceRow, countAudienceCells, readCells } from './cells.sql.ts';
import type { Interval } from './draws.ts';
import { type AudienceCell, fit, meanOf, type Model, type PastCell, predict } from './estimate.ts';
import { comparedForecasts, readEarned, reportingMailboxes } from './forecasts.sql.ts';
import { cellOf, mailboxOfCell } from './rates.ts';
import type { Waits } from './retries.ts';
import { type Earned, predictRevenue } from './revenue.ts';
import { type PastWaits, type Times, timesOf, UNTIL_DECIDED } from './times.ts';

/** The maximum number of past campaigns that a forecast reads. */
export const PAST_CAMPAIGNS = 40;
/**
 * A mailbox provider is considered to report complaints if it reported one about a campaign of
 * these days.
 */
const REPORTING_DAYS = 180;
/** The maximum number of past forecasts whose outcomes determine the scales. */
const MAX_COMPARED = 200;
const DAY_MS = 86_400_000;
/**
 * An exclusion is suggested if it costs at most this share of the clicks, and avoids MIN_AVOIDED.
 */
const MAX_LOST_CLICKS = 0.02;
/** A suggested exclusion avoids at least this share of the bounces, or of the complaints. */
const MIN_AVOIDED = 0.2;

const NAMES = new Map<number, string>(Object.entries(MAILBOXES).map(([name, id]) => [id, name]));
const mailboxName = (mailbox: number) => NAMES.get(mailbox) ?? 'other';

export type History = PastWaits & {
  earned: readonly (readonly Earned[])[];
  reporting: ReadonlySet<number>;
  scales: Scales;
};

type Send = {
  audience: Audience;
  asOf: Date;
  seed: number;
  /** The sender's address; empty if there is none yet. */
  from: string;
  /** Whether the waves of the audience are known. */
  isTimed: boolean;
  /** Whether parts of an experiment are sent later. */
  hasLaterParts: boolean;
};

/**
 * Returns null without recipients, and for resends, since no past campaign had similar recipients.
 */
export async function forecastAudience(
  db: Reader,
  accountId: number,
  send: Send,
): Promise<Forecast | null> {
  const { audience, asOf, seed } = send;
  if (audience.unopened !== undefined) return null;
  const { timezone } = await readAccount(db, accountId);
  const since = INACTIVE_MONTHS.map((months) => inactiveSince(months, { now: asOf, timezone }));
  const rows = await countAudienceCells(db, accountId, audience, asOf, since);
  if (rows.length === 0) return null;
  const history = await readHistory(db, accountId, asOf);
  const times = await readTimes(db, accountId, send, { rows, history });
  return forecastOf(rows, history, { asOf, seed, times });
}

async function readTimes(
  db: Reader,
  accountId: number,
  send: Send,
  { rows, history }: { rows: readonly AudienceRow[]; history: History },
): Promise<Times | undefined> {
  if (send.hasLaterParts) return UNTIL_DECIDED;
  if (!send.isTimed) return undefined;
  const { from, audience, asOf, seed } = send;
  const pace = await readSendPace(db, accountId, { from, audience, startsAt: asOf });
  return timesOf(rows, history, { asOf, seed, scale: history.scales.done, pace });
}

async function readHistory(db: Reader, accountId: number, before: Date): Promise<History> {
  const campaigns = new Map<number, PastCell[]>();
  const waits = new Map<number, Waits | null>();
  for (const row of await readCells(db, accountId, before, PAST_CAMPAIGNS)) {
    const cells = campaigns.get(row.message_id) ?? [];
    campaigns.set(row.message_id, cells);
    waits.set(row.message_id, row.waits);
    cells.push({ ...row, cell: cellOf(row.mailbox, row.band) });
  }
  const reporting = new Date(before.getTime() - REPORTING_DAYS * DAY_MS);
  return {
    past: [...campaigns.values()],
    waits: [...waits.values()],
    earned: await readEarned(db, accountId, before, PAST_CAMPAIGNS),
    reporting: new Set(await reportingMailboxes(db, accountId, reporting)),
    scales: scalesAfter(await comparedForecasts(db, accountId, MAX_COMPARED)),
  };
}

/** Makes the forecast. The same arguments always give the same forecast. */
export function forecastOf(
  rows: readonly AudienceRow[],
  history: History,
  { asOf, seed, times }: { asOf: Date; seed: number; times?: Times | undefined },
): Forecast {
  const { past, earned, reporting, scales } = history;
  const reports = (cell: number) => reporting.has(mailboxOfCell(cell));
  const reported = past.map((cells) => cells.filter(({ cell }) => reports(cell)));
  const models = Object.fromEntries(
    METRICS.map((metric) => [metric, fit(metric, metric === 'complaints' ? reported : past)]),
  ) as Record<Metric, Model>;
  const metricsOf = (cells: readonly AudienceCell[]): Metrics => {
    const people = sumOf(cells);
    const of = (metric: Metric, chosen = cells) =>
      predict(models[metric], chosen, { seed: seedOf(seed, metric), scale: scales[metric] });
    const bounces = of('bounces');
    const reportingCells = cells.filter(({ cell }) => reports(cell));
    return {
      delivered: restOf(people, bounces),
      ...{ opens: of('opens'), clicks: of('clicks'), unsubscribes: of('unsubscribes'), bounces },
      complaints: reportingCells.length > 0 ? of('complaints', reportingCells) : null,
    };
  };
  const cells = cellsOf(rows);
  const mailboxes = [...new Set(rows.map((row) => row.mailbox))];
  const revenue = { seed: seedOf(seed, 'orders'), scale: scales.orders };
  return {
    people: sumOf(cells),
    as_of: asOf.toISOString(),
    campaigns: past.length,
    metrics: metricsOf(cells),
    done: times?.done ?? null,
    revenue: predictRevenue(models.orders, cells, earned, revenue),
    mailboxes: mailboxes
      .map((mailbox) => cellsOf(rows.filter((row) => row.mailbox === mailbox)))
      .sort((a, b) => sumOf(b) - sumOf(a))
      .map((own) => ({
        mailbox: mailboxName(mailboxOfCell(own[0]?.cell ?? 0)),
        people: sumOf(own),
        metrics: metricsOf(own),
        done: times?.providers.get(mailboxOfCell(own[0]?.cell ?? 0)) ?? null,
      })),
    silent: mailboxes.filter((mailbox) => !reporting.has(mailbox)).map(mailboxName),
    suggestions: suggestionsOf(rows, models, reporting),
  };
}

const sumOf = (cells: readonly AudienceCell[]) =>
  cells.reduce((sum, { people }) => sum + people, 0);

/** The interval of the people who remain after subtracting these counts. */
const restOf = (people: number, { low, mid, high }: Interval): Interval => ({
  low: people - high,
  mid: people - mid,
  high: people - low,
});

const seedOf = (seed: number, metric: Metric) => seed + METRICS.indexOf(metric) * 0x9e3779b1;

/** Sums the rows by cell; rows that differ only in inactivity share a cell. */
function cellsOf(rows: readonly AudienceRow[]): AudienceCell[] {
  const sums = new Map<number, number>();
  for (const { mailbox, band, people } of rows) {
    const cell = cellOf(mailbox, band);
    sums.set(cell, (sums.get(cell) ?? 0) + people);
  }
  return [...sums].map(([cell, people]) => ({ cell, people }));
}

/**
 * Suggests exclusions that avoid many bounces or complaints for few clicks. The level of the
 * campaign cancels out, so expected counts are sufficient. Of several exclusions of the same
 * people, only the first is suggested.
 */
function suggestionsOf(
  rows: readonly AudienceRow[],
  models: Record<Metric, Model>,
  reporting: ReadonlySet<number>,
): Forecast['suggestions'] {
  const reportingRows = rows.filter((row) => reporting.has(row.mailbox));
  const shareOf = (metric: Metric, of: readonly AudienceRow[], least: number) => {
    const all = meanOf(models[metric], cellsOf(of));
    const excluded = of.filter((row) => row.inactive >= least);
    return all === 0 ? 0 : meanOf(models[metric], cellsOf(excluded)) / all;
  };
  const suggestions: Forecast['suggestions'] = [];
  for (const [index, months] of INACTIVE_MONTHS.entries()) {
    const least = INACTIVE_MONTHS.length - index;
    const people = sumOf(cellsOf(rows.filter((row) => row.inactive >= least)));
    const clicks = shareOf('clicks', rows, least);
    const bounces = shareOf('bounces', rows, least);
    const complaints =
      reportingRows.length > 0 ? shareOf('complaints', reportingRows, least) : null;
    const isCheap = clicks <= MAX_LOST_CLICKS;
    const isUseful = Math.max(bounces, complaints ?? 0) >= MIN_AVOIDED;
    const isNew = suggestions.every((offer) => offer.people !== people);
    if (people > 0 && isCheap && isUseful && isNew) {
      suggestions.push({ months, people, clicks, bounces, complaints });
    }
  }
  return suggestions;
}
