// Callers of the benchmark, which use sessions and tokens over HTTP.
import type { Right } from '#platform/rights.ts';
import type { Owner } from '../kit/owner.ts';

/** Any JSON response of the API. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

export type Call = (method: string, path: string, body?: object) => Promise<Json>;

/** @throws for any status except 2xx and `other` */
export function callsOf(base: string, headers: Record<string, string>, other?: number): Call {
  return async (method, path, body) => {
    const answer = await fetch(base + path, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok && answer.status !== other) throw new Error(`${method} ${path}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
}

export async function tokenOf(base: string, owner: Owner, scopes: readonly Right[] | null) {
  const input = { title: 'Bench', validity_days: null, scopes };
  const created = await callsOf(base, owner.headers)('POST', '/client-api/api/tokens', input);
  return created.data.token as string;
}
