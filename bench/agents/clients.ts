// Calls the API over HTTP for the benchmark, and creates API tokens.
import type { Right } from '#platform/rights.ts';
import type { BenchOwner } from '../kit/owner.ts';

/** Any JSON response of the API. */
// oxlint-disable-next-line typescript/no-explicit-any
export type JsonBody = any;

export type ApiCall = (method: string, path: string, body?: object) => Promise<JsonBody>;

/** @throws for any status except 2xx and `allowedStatus` */
export function createApiCall(
  base: string,
  headers: Record<string, string>,
  allowedStatus?: number,
): ApiCall {
  return async (method, path, body) => {
    const response = await fetch(base + path, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok && response.status !== allowedStatus)
      throw new Error(`${method} ${path}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
}

export async function createToken(
  base: string,
  owner: BenchOwner,
  scopes: readonly Right[] | null,
) {
  const input = { title: 'Bench', validity_days: null, scopes };
  const created = await createApiCall(base, owner.headers)('POST', '/client-api/api/tokens', input);
  return created.data.token as string;
}
