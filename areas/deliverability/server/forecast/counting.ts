// Makes a forecast once for all identical requests within a minute. A request waits at most two
// seconds for the result.
import { FairTurns } from '#platform/server/work/fair-turns.ts';
import { log } from '#platform/server/log.ts';
import { clock } from '#platform/server/clock.ts';
import type { Forecast } from '../../forecast-contract.ts';

const MAX_WAIT_MS = 2_000;
const MINUTE_MS = 60_000;
/** Counting continues after its request was answered, so few counts may run concurrently. */
const turns = new FairTurns({ atOnce: 4, perKey: 1, maxWaiting: 10 });

type Counted = { forecast: Promise<Forecast | null>; at: number };
const cachedForecasts = new Map<string, Counted>();

/** @param key identifies the audience within the account: the campaign and its revision */
export async function countedForecast(
  accountId: number,
  key: string,
  count: () => Promise<Forecast | null>,
): Promise<{ data: Forecast | null; counting: boolean }> {
  const now = clock.now().getTime();
  for (const [name, { at }] of cachedForecasts)
    if (now - at >= MINUTE_MS || now < at) cachedForecasts.delete(name);
  const cached =
    cachedForecasts.get(`${accountId}/${key}`) ??
    startCounting(accountId, `${accountId}/${key}`, now, count);
  const { promise: waited, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, MAX_WAIT_MS, undefined);
  try {
    const first = await Promise.race([cached.forecast, waited]);
    return first === undefined ? { data: null, counting: true } : { data: first, counting: false };
  } finally {
    clearTimeout(timer);
  }
}

function startCounting(
  accountId: number,
  key: string,
  at: number,
  count: () => Promise<Forecast | null>,
): Counted {
  const forecast = turns.run(accountId, count);
  const entry = { forecast, at };
  cachedForecasts.set(key, entry);
  // A failed count is deleted, even if its request was answered already, so that the next request
  // counts again.
  forecast.catch((error: unknown) => {
    if (cachedForecasts.get(key) === entry) cachedForecasts.delete(key);
    log.warn('Could not count the audience of a forecast', {
      account: accountId,
      error: String(error),
    });
  });
  return entry;
}
