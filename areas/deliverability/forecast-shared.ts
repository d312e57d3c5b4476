// Values of forecasts shared by server and web.

/** Forecast metrics. All count subscribers except for `orders`, which are shown as revenue. */
export const METRICS = [
  'opens',
  'clicks',
  'unsubscribes',
  'complaints',
  'bounces',
  'orders',
] as const;
export type ForecastMetric = (typeof METRICS)[number];

/** A forecast may suggest excluding subscribers without an open or click in this many months. */
export const INACTIVE_MONTHS = [12, 6, 3] as const;
export type InactiveMonths = (typeof INACTIVE_MONTHS)[number];

/** A campaign is done when this share of its emails is accepted or refused. */
export const DONE_SHARE = 0.99;
