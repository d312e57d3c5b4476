// Forecasts the results of a campaign from its audience and past campaigns. `forecastAudience`
// reads the data; `computeForecast` is pure.
import { readAccount } from '#areas/accounts/server/index.ts';
import { type Audience, readSendPace } from '#areas/delivery/server/ledger/index.ts';
import { inactiveSince } from '#areas/segments/server/index.ts';
import { MAILBOXES } from '#areas/subscribers/shared.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { CampaignForecast, Metrics } from '../../forecast-contract.ts';
import { INACTIVE_MONTHS, type ForecastMetric, METRICS } from '../../forecast-shared.ts';
import { type Scales, computeScales } from './calibration.ts';
import { type AudienceRow, countAudienceCells, readCells } from './cells.sql.ts';
import type { ForecastInterval } from './draws.ts';
import {
  type AudienceCell,
  fitModel,
  computeMean,
  type Model,
  type PastCell,
  predictInterval,
} from './estimate.ts';
import { listComparedForecasts, readEarned, listReportingMailboxes } from './forecasts.sql.ts';
import { encodeCell, decodeMailbox } from './rates.ts';
import type { WaitCounts } from './retries.ts';
import { type CurrencyRevenue, predictRevenue } from './revenue.ts';
import { type PastWaits, type ForecastTimes, forecastTimes, UNTIL_DECIDED } from './times.ts';

/** The maximum number of past campaigns that a forecast reads. */
export const PAST_CAMPAIGNS = 40;
/**
 * A mailbox provider is considered to report complaints if it reported one about a campaign that
 * started within this many days before the forecast.
 */
const REPORTING_DAYS = 180;
/** The maximum number of past forecasts that determine the scales. */
const MAX_COMPARED = 200;
const DAY_MS = 86_400_000;
/**
 * An exclusion is suggested if it loses at most this share of the clicks and avoids MIN_AVOIDED.
 */
const MAX_LOST_CLICKS = 0.02;
/** A suggested exclusion avoids at least this share of the bounces, or of the complaints. */
const MIN_AVOIDED = 0.2;

const NAMES = new Map<number, string>(Object.entries(MAILBOXES).map(([name, id]) => [id, name]));
const getMailboxName = (mailbox: number) => NAMES.get(mailbox) ?? 'other';

export type History = PastWaits & {
  revenue: readonly (readonly CurrencyRevenue[])[];
  reportingMailboxes: ReadonlySet<number>;
  scales: Scales;
};

type PlannedSend = {
  audience: Audience;
  asOf: Date;
  seed: number;
  /** The sender's address; empty if there is none yet. */
  from: string;
  /** Whether the waves of the audience are known. */
  isTimed: boolean;
  /** Whether some emails of an experiment are sent later. */
  hasLaterParts: boolean;
};

/**
 * Returns null if there are no recipients, and for resends, because no past campaign had similar
 * recipients.
 */
export async function forecastAudience(
  db: Reader,
  accountId: number,
  send: PlannedSend,
): Promise<CampaignForecast | null> {
  const { audience, asOf, seed } = send;
  if (audience.unopened !== undefined) return null;
  const { timezone } = await readAccount(db, accountId);
  const inactiveSinceDates = INACTIVE_MONTHS.map((months) =>
    inactiveSince(months, { now: asOf, timezone }),
  );
  const rows = await countAudienceCells(db, accountId, audience, asOf, inactiveSinceDates);
  if (rows.length === 0) return null;
  const history = await readHistory(db, accountId, asOf);
  const times = await readTimes(db, accountId, send, { rows, history });
  return computeForecast(rows, history, { asOf, seed, times });
}

async function readTimes(
  db: Reader,
  accountId: number,
  send: PlannedSend,
  { rows, history }: { rows: readonly AudienceRow[]; history: History },
): Promise<ForecastTimes | undefined> {
  if (send.hasLaterParts) return UNTIL_DECIDED;
  if (!send.isTimed) return undefined;
  const { from, audience, asOf, seed } = send;
  const pace = await readSendPace(db, accountId, { from, audience, startsAt: asOf });
  return forecastTimes(rows, history, { asOf, seed, scale: history.scales.done, pace });
}

async function readHistory(db: Reader, accountId: number, before: Date): Promise<History> {
  const campaigns = new Map<number, PastCell[]>();
  const waits = new Map<number, WaitCounts | null>();
  for (const row of await readCells(db, accountId, before, PAST_CAMPAIGNS)) {
    const cells = campaigns.get(row.message_id) ?? [];
    campaigns.set(row.message_id, cells);
    waits.set(row.message_id, row.waits);
    cells.push({ ...row, cell: encodeCell(row.mailbox, row.band) });
  }
  const reporting = new Date(before.getTime() - REPORTING_DAYS * DAY_MS);
  return {
    past: [...campaigns.values()],
    waits: [...waits.values()],
    revenue: await readEarned(db, accountId, before, PAST_CAMPAIGNS),
    reportingMailboxes: new Set(await listReportingMailboxes(db, accountId, reporting)),
    scales: computeScales(await listComparedForecasts(db, accountId, MAX_COMPARED)),
  };
}

/** Computes the forecast; deterministic for the same arguments. */
export function computeForecast(
  rows: readonly AudienceRow[],
  history: History,
  { asOf, seed, times }: { asOf: Date; seed: number; times?: ForecastTimes | undefined },
): CampaignForecast {
  const { past, revenue: earned, reportingMailboxes, scales } = history;
  const isReported = (cell: number) => reportingMailboxes.has(decodeMailbox(cell));
  const reportedPast = past.map((cells) => cells.filter(({ cell }) => isReported(cell)));
  const models = Object.fromEntries(
    METRICS.map((metric) => [
      metric,
      fitModel(metric, metric === 'complaints' ? reportedPast : past),
    ]),
  ) as Record<ForecastMetric, Model>;
  const computeMetrics = (cells: readonly AudienceCell[]): Metrics => {
    const recipients = countRecipients(cells);
    const predictMetric = (metric: ForecastMetric, metricCells = cells) =>
      predictInterval(models[metric], metricCells, {
        seed: deriveSeed(seed, metric),
        scale: scales[metric],
      });
    const bounces = predictMetric('bounces');
    const reportingCells = cells.filter(({ cell }) => isReported(cell));
    return {
      delivered: subtractCounts(recipients, bounces),
      ...{
        opens: predictMetric('opens'),
        clicks: predictMetric('clicks'),
        unsubscribes: predictMetric('unsubscribes'),
        bounces,
      },
      complaints: reportingCells.length > 0 ? predictMetric('complaints', reportingCells) : null,
    };
  };
  const cells = groupByCell(rows);
  const mailboxes = [...new Set(rows.map((row) => row.mailbox))];
  const revenue = { seed: deriveSeed(seed, 'orders'), scale: scales.orders };
  return {
    people: countRecipients(cells),
    as_of: asOf.toISOString(),
    campaigns: past.length,
    metrics: computeMetrics(cells),
    done: times?.done ?? null,
    revenue: predictRevenue(models.orders, cells, earned, revenue),
    mailboxes: mailboxes
      .map((mailbox) => groupByCell(rows.filter((row) => row.mailbox === mailbox)))
      .sort((a, b) => countRecipients(b) - countRecipients(a))
      .map((mailboxCells) => ({
        mailbox: getMailboxName(decodeMailbox(mailboxCells[0]?.cell ?? 0)),
        people: countRecipients(mailboxCells),
        metrics: computeMetrics(mailboxCells),
        done: times?.providers.get(decodeMailbox(mailboxCells[0]?.cell ?? 0)) ?? null,
      })),
    silent: mailboxes.filter((mailbox) => !reportingMailboxes.has(mailbox)).map(getMailboxName),
    suggestions: suggestExclusions(rows, models, reportingMailboxes),
  };
}

const countRecipients = (cells: readonly AudienceCell[]) =>
  cells.reduce((sum, { recipients }) => sum + recipients, 0);

/** Computes the interval of the recipients who remain after subtracting these counts. */
const subtractCounts = (
  recipients: number,
  { low, mid, high }: ForecastInterval,
): ForecastInterval => ({
  low: recipients - high,
  mid: recipients - mid,
  high: recipients - low,
});

const deriveSeed = (seed: number, metric: ForecastMetric) =>
  seed + METRICS.indexOf(metric) * 0x9e3779b1;

/** Sums the rows by cell; rows that differ only in inactivity share a cell. */
function groupByCell(rows: readonly AudienceRow[]): AudienceCell[] {
  const recipientsByCell = new Map<number, number>();
  for (const { mailbox, band, recipients } of rows) {
    const cell = encodeCell(mailbox, band);
    recipientsByCell.set(cell, (recipientsByCell.get(cell) ?? 0) + recipients);
  }
  return [...recipientsByCell].map(([cell, recipients]) => ({ cell, recipients }));
}

/**
 * Suggests exclusions that avoid many bounces or complaints for few clicks. Each share is a ratio
 * of two expected counts; the level of the campaign cancels out, so no draws are needed. If several
 * exclusions cover the same recipients, only the first is suggested.
 */
function suggestExclusions(
  rows: readonly AudienceRow[],
  models: Record<ForecastMetric, Model>,
  reporting: ReadonlySet<number>,
): CampaignForecast['suggestions'] {
  const reportingRows = rows.filter((row) => reporting.has(row.mailbox));
  const computeShare = (
    metric: ForecastMetric,
    audienceRows: readonly AudienceRow[],
    minInactivity: number,
  ) => {
    const mean = computeMean(models[metric], groupByCell(audienceRows));
    const excludedRows = audienceRows.filter((row) => row.inactive >= minInactivity);
    return mean === 0 ? 0 : computeMean(models[metric], groupByCell(excludedRows)) / mean;
  };
  const suggestions: CampaignForecast['suggestions'] = [];
  for (const [index, months] of INACTIVE_MONTHS.entries()) {
    const minInactivity = INACTIVE_MONTHS.length - index;
    const people = countRecipients(
      groupByCell(rows.filter((row) => row.inactive >= minInactivity)),
    );
    const clicks = computeShare('clicks', rows, minInactivity);
    const bounces = computeShare('bounces', rows, minInactivity);
    const complaints =
      reportingRows.length > 0 ? computeShare('complaints', reportingRows, minInactivity) : null;
    const isCheap = clicks <= MAX_LOST_CLICKS;
    const isUseful = Math.max(bounces, complaints ?? 0) >= MIN_AVOIDED;
    const isNew = suggestions.every((suggestion) => suggestion.people !== people);
    if (people > 0 && isCheap && isUseful && isNew) {
      suggestions.push({ months, people, clicks, bounces, complaints });
    }
  }
  return suggestions;
}
