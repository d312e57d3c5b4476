// Definitions of tracking that the server and the screens share.

/**
 * Why a link host cannot be used: its name does not resolve, it has no valid certificate, it does
 * not answer, or another server answers.
 */
export const HOST_FAULTS = ['unresolved', 'certificate', 'unreachable', 'elsewhere'] as const;
export type HostIssue = (typeof HOST_FAULTS)[number];

/**
 * Usual length of a short link's code (`/s/…`), used by previews to calculate the length of an SMS.
 */
export const SHORT_CODE_LENGTH = 20;

/** Returns a fraction from 0 to 1; 0 if `total` is 0. */
export const divideOrZero = (count: number, total: number): number =>
  total > 0 ? Math.min(1, count / total) : 0;

type EngagedFigures = { delivered: number; human_opens: number; human_clicks: number };

/**
 * Returns the human opens and clicks that all views of a campaign show, and their fractions of the
 * delivered emails.
 */
export function computeEngagement({
  delivered,
  human_opens: opens,
  human_clicks: clicks,
}: EngagedFigures) {
  return {
    opens: { count: opens, share: divideOrZero(opens, delivered) },
    clicks: { count: clicks, share: divideOrZero(clicks, delivered) },
  };
}

type PartFigures = EngagedFigures & {
  sent: number;
  bounces: number;
  unsubscribes: number;
  complaints: number;
};

/**
 * Returns the counts of a part of a campaign and their fractions of the delivered emails; for
 * bounces, the fraction of the sent emails.
 */
export function computePartRates(figures: PartFigures) {
  const ofDelivered = (count: number) => ({ count, share: divideOrZero(count, figures.delivered) });
  return {
    ...computeEngagement(figures),
    bounces: { count: figures.bounces, share: divideOrZero(figures.bounces, figures.sent) },
    unsubscribes: ofDelivered(figures.unsubscribes),
    complaints: ofDelivered(figures.complaints),
  };
}
