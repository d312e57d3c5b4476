// Defaults of forecasts: the rate of every metric by band, and the variance between accounts and
// between campaigns. An account's own campaigns gradually replace them. A band groups subscribers
// by the time of their last open or click.
import { excludeHost } from '#areas/subscribers/shared.ts';
import type { ForecastMetric } from '../../forecast-shared.ts';

/** The first bands end this many days after the last open or click, human or machine. */
export const BAND_DAYS = [30, 90, 180, 365] as const;
/** The band of subscribers with an older last open or click. */
export const BAND_OLDER = 4;
export const BAND_NEVER = 5;
/** The band of subscribers who subscribed recently and have not opened or clicked yet. */
export const BAND_NEW = 6;
export const NEW_DAYS = 30;
export const BANDS = 7;

/**
 * Returns whether subscribers of a band neither opened or clicked within 90 days nor subscribed
 * recently. The autopilot may delay their emails.
 */
export const isLessEngaged = (band: number) => band > 1 && band !== BAND_NEW;

/** The rates by band: within 30, 90, 180 and 365 days, older, never, new. */
const RATES: Record<ForecastMetric, readonly number[]> = {
  opens: [0.45, 0.25, 0.12, 0.07, 0.03, 0.04, 0.35],
  clicks: [0.05, 0.02, 0.01, 0.006, 0.003, 0.003, 0.04],
  unsubscribes: [0.002, 0.003, 0.003, 0.003, 0.003, 0.003, 0.006],
  complaints: [0.0003, 0.0004, 0.0005, 0.0006, 0.0008, 0.0008, 0.0006],
  bounces: [0.001, 0.003, 0.005, 0.008, 0.015, 0.02, 0.01],
  orders: [0.002, 0.0008, 0.0004, 0.0003, 0.0002, 0.0002, 0.001],
};

/**
 * Standard deviations of logarithms. `tau` applies to accounts around the default, and `sigma` to
 * campaigns around their account.
 */
export const SPREADS: Record<ForecastMetric, { tau: number; sigma: number }> = {
  opens: { tau: 0.4, sigma: 0.15 },
  clicks: { tau: 0.7, sigma: 0.5 },
  unsubscribes: { tau: 0.6, sigma: 0.45 },
  complaints: { tau: 0.8, sigma: 0.5 },
  bounces: { tau: 0.7, sigma: 0.45 },
  orders: { tau: 0.8, sigma: 0.6 },
};

/** Combines a mailbox provider and a band in one number. */
export const encodeCell = (mailbox: number, band: number) => mailbox * BANDS + band;
export const decodeMailbox = (cell: number) => Math.floor(cell / BANDS);
/** Returns the cell of `other` for the cell of a host, and any other cell unchanged. */
export const getUnhostedCell = (cell: number) =>
  encodeCell(excludeHost(decodeMailbox(cell)), cell % BANDS);

export const getDefaultRate = (metric: ForecastMetric, cell: number) =>
  RATES[metric][cell % BANDS] ?? 0;
