// Makes a forecast once for all identical requests within a minute. A request waits at most two
// seconds for the result.
import { FairTurns } from '#platform/server/work/fair-turns.ts';
import { log } from '#platform/server/log.ts';
import { clock } from '#platform/server/clock.ts';
import type { CampaignForecast } from '../../forecast-contract.ts';

const MAX_WAIT_MS = 2_000;
const MINUTE_MS = 60_000;
/**
 * Limits concurrent counts. A limit on requests would not suffice, because a count continues after
 * its request has timed out.
 */
const countQueue = new FairTurns({ maxConcurrent: 4, maxPerKey: 1, maxWaiting: 10 });

type CachedForecast = { forecast: Promise<CampaignForecast | null>; startedAt: number };
const cachedForecasts = new Map<string, CachedForecast>();

/** @param key identifies the audience within the account: the campaign and its revision */
export async function countForecast(
  accountId: number,
  key: string,
  count: () => Promise<CampaignForecast | null>,
): Promise<{ data: CampaignForecast | null; counting: boolean }> {
  const now = clock.now().getTime();
  for (const [name, { startedAt }] of cachedForecasts)
    if (now - startedAt >= MINUTE_MS || now < startedAt) cachedForecasts.delete(name);
  const cached =
    cachedForecasts.get(`${accountId}/${key}`) ??
    startCounting(accountId, `${accountId}/${key}`, now, count);
  const { promise: timedOut, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, MAX_WAIT_MS, undefined);
  try {
    const result = await Promise.race([cached.forecast, timedOut]);
    return result === undefined
      ? { data: null, counting: true }
      : { data: result, counting: false };
  } finally {
    clearTimeout(timer);
  }
}

function startCounting(
  accountId: number,
  key: string,
  startedAt: number,
  count: () => Promise<CampaignForecast | null>,
): CachedForecast {
  const forecast = countQueue.run(accountId, count);
  const entry = { forecast, startedAt };
  cachedForecasts.set(key, entry);
  // A failed count is deleted, even if its request already has a response, so that the next request
  // counts again.
  forecast.catch((error: unknown) => {
    if (cachedForecasts.get(key) === entry) cachedForecasts.delete(key);
    log.warn('Could not count the audience of a forecast', {
      account: accountId,
      reason: String(error),
    });
  });
  return entry;
}
