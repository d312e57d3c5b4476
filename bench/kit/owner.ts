// Signs up a new account at the server under test, and returns the headers of its owner's calls.
import { decodeId } from '#platform/ids.ts';

export interface BenchOwner {
  account: number;
  /** The headers of every call. */
  headers: Record<string, string>;
}

/**
 * @param base the URL of the server
 * @param from an IP address to send as X-Forwarded-For, so that many sign-ups do not exceed the
 * limit per network; the server must trust its proxy
 */
export async function newOwner(base: string, from?: string): Promise<BenchOwner> {
  const asJson = {
    'x-sendloom': '1',
    'content-type': 'application/json',
    ...(from && { 'x-forwarded-for': from }),
  };
  const response = await fetch(`${base}/auth/api/sign-up`, {
    method: 'POST',
    headers: asJson,
    body: JSON.stringify({
      email: `owner${crypto.randomUUID()}@bench.example`,
      password: 'correct horse battery',
    }),
  });
  if (!response.ok) throw new Error(await response.text());
  const { data } = (await response.json()) as { data: { account: { id: string } } };
  const cookie = response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
  const account = decodeId('account', data.account.id) as number;
  return { account, headers: { cookie, 'x-sendloom': '1' } };
}
