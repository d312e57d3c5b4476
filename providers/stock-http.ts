// Retrieves and validates JSON from stock image services, with a time limit and the same error for
// every failure.
import type { z } from 'zod';
import { AppError } from '#platform/server/errors.ts';
import { log } from '#platform/server/log.ts';

const TIME_LIMIT_MS = 6_000;

/**
 * Returns the parsed JSON of the response, or undefined for the status 404. The URL is never
 * logged, because it may contain the key.
 * @throws AppError stock_unavailable if the call fails or takes too long, for any other error
 * status, or if the body is not JSON
 */
export async function fetchStockJson(
  service: string,
  url: string,
  headers: Record<string, string> = {},
): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(url, { headers, signal: AbortSignal.timeout(TIME_LIMIT_MS) });
    if (response.ok) return await response.json();
    await response.body?.cancel();
  } catch (error) {
    const name = error instanceof Error ? error.name : 'unknown';
    log.warn('Could not read a response of the stock image service', { service, reason: name });
    throw new AppError('stock_unavailable');
  }
  if (response.status === 404) return undefined;
  log.warn('Stock image service returned an error status', { service, status: response.status });
  throw new AppError('stock_unavailable');
}

/**
 * Returns the response, validated by the schema.
 * @throws AppError stock_unavailable if it does not match
 */
export function parseResponse<T>(schema: z.ZodType<T>, response: unknown): T {
  const { data } = schema.safeParse(response);
  if (data === undefined) throw new AppError('stock_unavailable');
  return data;
}
