// Compares a campaign's opens at one mailbox provider with those at the other providers, and with
// earlier campaigns at the same provider. A shortfall at only one provider probably comes from its
// spam folder, because a dull subject reduces opens everywhere.
import { excludeHost } from '#areas/subscribers/shared.ts';

/** Human opens of one campaign at one mailbox provider. */
export type OpenCounts = {
  messageId: number;
  startedAt: Date;
  mailbox: number;
  delivered: number;
  opens: number;
};

export type OpenShortfall = {
  level: 'watch' | 'act';
  /** The number of missing opens among `of` expected ones. */
  count: number;
  of: number;
  /** The start of the newest campaign with this shortfall. */
  startedAt: Date;
};

/** The number of delivered emails that a comparison requires. */
const MIN_DELIVERED = 500;
/** Two other providers are required, because a single one may be unusual. */
const MIN_PROVIDERS = 3;
/** The provider's usual level is the mean of at most HISTORY and at least MIN_HISTORY campaigns. */
const HISTORY = 12;
const MIN_HISTORY = 4;
/** The standard deviation assumed before there is data, and its weight in campaigns. */
const PRIOR_DEVIATION = 0.15;
const PRIOR_WEIGHT = 4;
/**
 * A level is unusual if it is this many standard deviations below the usual one. At 800 delivered
 * emails, 3 deviations raised 1.3 false alarms in 1,000 trials, and this number raises 0.5.
 */
const DEVIATIONS = 3.4;
/** A level is only unusual if the opens are also below this share of the usual ones. */
const MAX_SHARE = 0.65;

type CampaignLevel = Pick<OpenCounts, 'mailbox' | 'opens' | 'startedAt'> & {
  level: number;
  /** The opens to expect at the median rate of the other providers. */
  expectedOpens: number;
  otherProviders: number;
};

/** @param figures the opens of one domain, earliest campaign first */
export function findOpenShortfalls(figures: readonly OpenCounts[]): Map<number, OpenShortfall> {
  const campaigns = new Map<number, OpenCounts[]>();
  for (const row of mergeHosts(figures)) {
    if (row.delivered < MIN_DELIVERED) continue;
    campaigns.set(row.messageId, [...(campaigns.get(row.messageId) ?? []), row]);
  }
  const usualLevels = new Map<number, number[]>();
  const shortfalls = new Map<number, OpenShortfall>();
  for (const rows of campaigns.values()) {
    for (const campaignLevel of computeLevels(rows)) {
      const { mailbox, level, expectedOpens: medianOpens, opens, startedAt } = campaignLevel;
      const past = usualLevels.get(mailbox) ?? [];
      const mean = findUnusualMean(past, campaignLevel);
      if (mean === undefined) {
        usualLevels.set(mailbox, [...past, level].slice(-HISTORY));
        shortfalls.delete(mailbox);
        continue;
      }
      const expectedOpens = Math.round(medianOpens * Math.exp(mean));
      const isRepeated = shortfalls.has(mailbox);
      const count = Math.max(0, expectedOpens - opens);
      shortfalls.set(mailbox, {
        level: isRepeated ? 'act' : 'watch',
        count,
        of: expectedOpens,
        startedAt,
      });
    }
  }
  return shortfalls;
}

/**
 * Counts emails at hosts as `other`, because domains move between hosts. If each host had its own
 * level, the usual level of `other` would change whenever a large host is split off, and an alarm
 * at a host that gets no more emails would never end.
 */
function mergeHosts(figures: readonly OpenCounts[]): OpenCounts[] {
  const figuresByKey = new Map<string, OpenCounts>();
  for (const row of figures) {
    const mailbox = excludeHost(row.mailbox);
    const key = `${row.messageId} ${mailbox}`;
    const { delivered, opens } = figuresByKey.get(key) ?? { delivered: 0, opens: 0 };
    const totals = { delivered: delivered + row.delivered, opens: opens + row.opens };
    figuresByKey.set(key, { ...row, ...totals, mailbox });
  }
  return [...figuresByKey.values()];
}

/**
 * Calculates levels relative to the median of the other providers of the campaign, on a logarithmic
 * scale.
 */
function computeLevels(rows: readonly OpenCounts[]): CampaignLevel[] {
  if (rows.length < MIN_PROVIDERS) return [];
  const rates = rows.map(({ delivered, opens }) => Math.log((opens + 0.5) / (delivered + 1)));
  return rows.map(({ mailbox, delivered, opens, startedAt }, index) => {
    const median = computeMedian(rates.filter((_, otherIndex) => otherIndex !== index));
    const level = (rates[index] ?? 0) - median;
    const expectedOpens = delivered * Math.exp(median);
    return { mailbox, opens, startedAt, level, expectedOpens, otherProviders: rows.length - 1 };
  });
}

function computeMedian(values: readonly number[]): number {
  const sortedValues = values.toSorted((a, b) => a - b);
  const [low, high] = [
    sortedValues[(sortedValues.length - 1) >> 1] ?? 0,
    sortedValues[sortedValues.length >> 1] ?? 0,
  ];
  return (low + high) / 2;
}

/** Returns the usual level of the provider if the campaign's level is far below it. */
function findUnusualMean(
  past: readonly number[],
  campaignLevel: CampaignLevel,
): number | undefined {
  const { level, expectedOpens, otherProviders } = campaignLevel;
  if (past.length < MIN_HISTORY) return undefined;
  const mean = past.reduce((sum, value) => sum + value, 0) / past.length;
  const squares = past.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const variance = (PRIOR_WEIGHT * PRIOR_DEVIATION ** 2 + squares) / (PRIOR_WEIGHT + past.length);
  // The uncertainty grows with fewer campaigns in the mean, fewer providers in the median, and
  // fewer opens.
  const chance = 1 / (expectedOpens * Math.exp(mean));
  const deviation = Math.sqrt(variance * (1 + 1 / past.length + 1 / otherProviders) + chance);
  const isLow = level - mean < -DEVIATIONS * deviation && level - mean < Math.log(MAX_SHARE);
  return isLow ? mean : undefined;
}
