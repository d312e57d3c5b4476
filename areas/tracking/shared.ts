// Terms of tracking that the server and the screens share.

/**
 * Reasons why a link host does not point here: its name does not resolve, it has no valid
 * certificate, it does not answer, another server answers.
 */
export const HOST_FAULTS = ['unresolved', 'certificate', 'unreachable', 'elsewhere'] as const;
export type HostFault = (typeof HOST_FAULTS)[number];

/**
 * Characters of a short link's code (`/s/…`): a fixed width, so that the length of an SMS is known
 * in advance.
 */
export const SHORT_CODE_LENGTH = 20;

/** A share from 0 to 1; 0 without a base. */
export const shareOf = (part: number, whole: number): number =>
  whole > 0 ? Math.min(1, part / whole) : 0;

type EngagedFigures = { delivered: number; human_opens: number; human_clicks: number };

/**
 * Opens and clicks as shown in every view of a campaign: by people, never machines, as a share of
 * the delivered emails.
 */
export function engagementOf({
  delivered,
  human_opens: opens,
  human_clicks: clicks,
}: EngagedFigures) {
  return {
    opens: { count: opens, share: shareOf(opens, delivered) },
    clicks: { count: clicks, share: shareOf(clicks, delivered) },
  };
}

type PartFigures = EngagedFigures & {
  sent: number;
  bounces: number;
  unsubscribes: number;
  complaints: number;
};

/**
 * Counts and shares of a part of a campaign: shares of delivered emails, but of sent emails for
 * bounces.
 */
export function partRates(part: PartFigures) {
  const ofDelivered = (count: number) => ({ count, share: shareOf(count, part.delivered) });
  return {
    ...engagementOf(part),
    bounces: { count: part.bounces, share: shareOf(part.bounces, part.sent) },
    unsubscribes: ofDelivered(part.unsubscribes),
    complaints: ofDelivered(part.complaints),
  };
}
