// Calls stock image services for JSON, with a time limit and the same error for every failure.
import type { z } from 'zod';
import { AppError } from '#platform/server/errors.ts';
import { log } from '#platform/server/log.ts';

const TIME_LIMIT_MS = 6_000;

/**
 * The response as JSON; undefined for a 404. The URL is never logged, since it may contain the key.
 * @throws AppError stock_unavailable for an error, a timeout, or another format
 */
export async function stockJson(
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
    log.warn('Stock image service did not respond', { service, error: name });
    throw new AppError('stock_unavailable');
  }
  if (response.status === 404) return undefined;
  log.warn('Stock image service rejected the request', { service, status: response.status });
  throw new AppError('stock_unavailable');
}

/**
 * Validates a response.
 * @throws AppError stock_unavailable for a response of another shape
 */
export function readable<T>(schema: z.ZodType<T>, answer: unknown): T {
  const { data } = schema.safeParse(answer);
  if (data === undefined) throw new AppError('stock_unavailable');
  return data;
}
