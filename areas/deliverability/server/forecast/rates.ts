// Defaults of forecasts: the rate of every metric by the band of a person's last open or click, and
// the variance between accounts and between campaigns. An account's own campaigns replace both.
import { unhosted } from '#areas/subscribers/shared.ts';
import type { Metric } from '../../forecast-shared.ts';

/** Days since the last open or click by any verdict, of the first bands. */
export const BAND_DAYS = [30, 90, 180, 365] as const;
/** An open or click longer ago. */
export const BAND_OLDER = 4;
export const BAND_NEVER = 5;
/** Subscribed recently, without any open or click yet. */
export const BAND_NEW = 6;
export const NEW_DAYS = 30;
export const BANDS = 7;

/**
 * No open or click within 90 days, though subscribed long enough: the autopilot may delay their
 * emails.
 */
export const isLessEngaged = (band: number) => band > 1 && band !== BAND_NEW;

/** By band: within 30, 90, 180 and 365 days, older, never, new. */
const RATES: Record<Metric, readonly number[]> = {
  opens: [0.45, 0.25, 0.12, 0.07, 0.03, 0.04, 0.35],
  clicks: [0.05, 0.02, 0.01, 0.006, 0.003, 0.003, 0.04],
  unsubscribes: [0.002, 0.003, 0.003, 0.003, 0.003, 0.003, 0.006],
  complaints: [0.0003, 0.0004, 0.0005, 0.0006, 0.0008, 0.0008, 0.0006],
  bounces: [0.001, 0.003, 0.005, 0.008, 0.015, 0.02, 0.01],
  orders: [0.002, 0.0008, 0.0004, 0.0003, 0.0002, 0.0002, 0.001],
};

/**
 * Standard deviations of logarithms. tau: of accounts around the default; sigma: of campaigns
 * around their account.
 */
export const SPREADS: Record<Metric, { tau: number; sigma: number }> = {
  opens: { tau: 0.4, sigma: 0.15 },
  clicks: { tau: 0.7, sigma: 0.5 },
  unsubscribes: { tau: 0.6, sigma: 0.45 },
  complaints: { tau: 0.8, sigma: 0.5 },
  bounces: { tau: 0.7, sigma: 0.45 },
  orders: { tau: 0.8, sigma: 0.6 },
};

/** One number for a mailbox provider and a band. */
export const cellOf = (mailbox: number, band: number) => mailbox * BANDS + band;
export const mailboxOfCell = (cell: number) => Math.floor(cell / BANDS);
/** The cell of `other` for hosts. */
export const unhostedCell = (cell: number) => cellOf(unhosted(mailboxOfCell(cell)), cell % BANDS);

export const defaultRate = (metric: Metric, cell: number) => RATES[metric][cell % BANDS] ?? 0;
