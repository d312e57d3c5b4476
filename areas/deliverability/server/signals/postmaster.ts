// Google Postmaster Tools, version 2: how Gmail sees a domain's email, by day. Days without much email
// have no data. https://developers.google.com/workspace/gmail/postmaster/reference/rest/v2
import { createPrivateKey } from 'node:crypto';
import { SignJWT } from 'jose';
import { z } from 'zod';
import { parseJson } from '#platform/server/clean-text.ts';
import { clock } from '#platform/server/clock.ts';
import { callPublic } from '#platform/server/outgoing/outgoing-call.ts';

const SCOPE = 'https://www.googleapis.com/auth/postmaster.traffic.readonly';
const CALL = { withinMs: 20_000, maxBytes: 2_000_000 };
const PAGE_ROWS = 200;
const MAX_PAGES = 20;
const TOKEN_SECONDS = 3_600;

export type PostmasterUrls = { consent: string; token: string; api: string };
export const GOOGLE: PostmasterUrls = {
  consent: 'https://accounts.google.com/o/oauth2/v2/auth',
  token: 'https://oauth2.googleapis.com/token',
  api: 'https://gmailpostmastertools.googleapis.com',
};

/** The operator's OAuth client. */
export type OAuthClient = { id: string; secret: string };

export type PostmasterCredentials =
  | { by: 'consent'; refreshToken: string }
  | { by: 'key'; email: string; privateKey: string };

export type PostmasterFault = 'refused' | 'disabled' | 'unavailable' | 'unknown_domain';

export class PostmasterError extends Error {
  readonly fault: PostmasterFault;

  constructor(fault: PostmasterFault, details: string) {
    super(`${fault}: ${details}`);
    this.fault = fault;
  }
}

/** Names in our tables, Google's metrics and their filters. `inbound` is email to Gmail. */
const METRICS = [
  ['spam_rate', 'SPAM_RATE', undefined],
  ['tls', 'TLS_ENCRYPTION_RATE', 'traffic_direction = "inbound"'],
  ['dkim', 'AUTH_SUCCESS_RATE', 'auth_type = "dkim"'],
  ['spf', 'AUTH_SUCCESS_RATE', 'auth_type = "spf"'],
  ['dmarc', 'AUTH_SUCCESS_RATE', 'auth_type = "dmarc"'],
  ['errors', 'DELIVERY_ERROR_RATE', undefined],
] as const;

export type SignalKind = (typeof METRICS)[number][0];
export type Signal = { kind: SignalKind; day: string; value: number };

export const SIGNAL_KINDS: readonly SignalKind[] = METRICS.map(([kind]) => kind);
const KINDS: ReadonlySet<string> = new Set(SIGNAL_KINDS);

/** The page on which Google requests the user's consent. */
export function consentUrl(
  urls: PostmasterUrls,
  client: OAuthClient,
  request: { redirect: string; state: string; challenge: string },
): string {
  const url = new URL(urls.consent);
  url.search = new URLSearchParams({
    client_id: client.id,
    redirect_uri: request.redirect,
    response_type: 'code',
    scope: SCOPE,
    access_type: 'offline',
    prompt: 'consent',
    state: request.state,
    code_challenge: request.challenge,
    code_challenge_method: 'S256',
  }).toString();
  return url.href;
}

const Tokens = z.object({ access_token: z.string(), refresh_token: z.string().optional() });

async function requestTokens(
  urls: PostmasterUrls,
  form: Record<string, string>,
): Promise<z.infer<typeof Tokens>> {
  const answer = await call(urls.token, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  });
  // An expired or withdrawn grant is a 400.
  if (answer.status === 400 || answer.status === 401 || answer.status === 403) {
    throw new PostmasterError('refused', `token endpoint, status ${answer.status}`);
  }
  return read(answer, Tokens);
}

/** @throws PostmasterError if the code is not valid or the user granted no lasting access */
export async function redeemCode(
  urls: PostmasterUrls,
  client: OAuthClient,
  grant: { code: string; verifier: string; redirect: string },
): Promise<PostmasterCredentials> {
  const { refresh_token: refreshToken } = await requestTokens(urls, {
    grant_type: 'authorization_code',
    client_id: client.id,
    client_secret: client.secret,
    code: grant.code,
    code_verifier: grant.verifier,
    redirect_uri: grant.redirect,
  });
  if (!refreshToken) throw new PostmasterError('refused', 'no refresh token');
  return { by: 'consent', refreshToken };
}

export async function accessToken(
  urls: PostmasterUrls,
  client: OAuthClient | undefined,
  credentials: PostmasterCredentials,
): Promise<string> {
  if (credentials.by === 'key') {
    const now = Math.floor(clock.now().getTime() / 1000);
    const assertion = await new SignJWT({ scope: SCOPE })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
      .setIssuer(credentials.email)
      .setAudience(urls.token)
      .setIssuedAt(now)
      .setExpirationTime(now + TOKEN_SECONDS)
      .sign(createPrivateKey(credentials.privateKey));
    const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
    return (await requestTokens(urls, { grant_type: grant, assertion })).access_token;
  }
  if (!client) throw new PostmasterError('refused', 'the installation has no OAuth client');
  const { access_token: token } = await requestTokens(urls, {
    grant_type: 'refresh_token',
    client_id: client.id,
    client_secret: client.secret,
    refresh_token: credentials.refreshToken,
  });
  return token;
}

const Key = z.object({
  type: z.literal('service_account'),
  client_email: z.email().max(320),
  private_key: z.string().max(10_000),
});

/** Undefined unless the text is the JSON key of a service account. */
export function readServiceKey(text: string): PostmasterCredentials | undefined {
  try {
    const { client_email: email, private_key: privateKey } = Key.parse(parseJson(text));
    const key = createPrivateKey(privateKey);
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
    // RS256 requires 2,048 bits (RFC 7518, 3.3).
    return key.asymmetricKeyType === 'rsa' && bits >= 2048
      ? { by: 'key', email, privateKey }
      : undefined;
  } catch {
    return undefined;
  }
}

const Stats = z.object({
  domainStats: z
    .array(
      z.object({
        metric: z.string().default(''),
        date: z.object({ year: z.number(), month: z.number(), day: z.number() }).optional(),
        value: z
          .object({
            doubleValue: z.number().optional(),
            floatValue: z.number().optional(),
            intValue: z.union([z.string(), z.number()]).optional(),
          })
          .optional(),
      }),
    )
    .default([]),
  nextPageToken: z.string().optional(),
});

/** Rows without a day or a share from 0 to 1 are invalid and dropped. */
export function signalsOf(page: z.infer<typeof Stats>): Signal[] {
  return page.domainStats.flatMap(({ metric, date, value }) => {
    const share = Number(value?.doubleValue ?? value?.floatValue ?? value?.intValue ?? Number.NaN);
    if (!KINDS.has(metric) || !date || !(share >= 0 && share <= 1)) return [];
    const at = new Date(Date.UTC(date.year, date.month - 1, date.day));
    if (at.getUTCDate() !== date.day || at.getUTCFullYear() !== date.year) return [];
    return [{ kind: metric as SignalKind, day: at.toISOString().slice(0, 10), value: share }];
  });
}

const dateOf = (day: string) => {
  const [year, month, date] = day.split('-').map(Number);
  return { year, month, day: date };
};

/** @throws PostmasterError, `unknown_domain` if the user has no access to the domain */
export async function querySignals(
  urls: PostmasterUrls,
  token: string,
  { domain, from, to }: { domain: string; from: string; to: string },
): Promise<Signal[]> {
  const parent = `domains/${domain}`;
  const body = {
    parent,
    metricDefinitions: METRICS.map(([name, standardMetric, filter]) => ({
      ...{ name, baseMetric: { standardMetric } },
      ...(filter && { filter }),
    })),
    timeQuery: { dateRanges: { dateRanges: [{ start: dateOf(from), end: dateOf(to) }] } },
    aggregationGranularity: 'DAILY',
    pageSize: PAGE_ROWS,
  };
  const signals: Signal[] = [];
  let pageToken: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await call(`${urls.api}/v2/${parent}/domainStats:query`, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, ...(pageToken && { pageToken }) }),
    });
    const stats = read(answer, Stats);
    signals.push(...signalsOf(stats));
    pageToken = stats.nextPageToken;
    if (!pageToken) break;
  }
  return signals;
}

type Answer = { status: number; body: unknown };

async function call(
  url: string,
  { headers, body }: { headers: Record<string, string>; body: string },
): Promise<Answer> {
  const answer = await callPublic(url, { method: 'POST', headers, body, ...CALL }).catch(
    (error: unknown) => {
      throw new PostmasterError('unavailable', String(error));
    },
  );
  let parsed: unknown;
  try {
    parsed = parseJson(answer.body.toString('utf8'));
  } catch {
    parsed = undefined;
  }
  return { status: answer.status, body: parsed };
}

const Refusal = z.object({
  error: z.object({ details: z.array(z.object({ reason: z.string().optional() })).default([]) }),
});

function read<T>({ status, body }: Answer, form: z.ZodType<T>): T {
  const details = `status ${status}`;
  if (status === 401) throw new PostmasterError('refused', details);
  if (status === 403) {
    const refusal = Refusal.safeParse(body);
    const isDisabled =
      refusal.success &&
      refusal.data.error.details.some(({ reason }) => reason === 'SERVICE_DISABLED');
    throw new PostmasterError(isDisabled ? 'disabled' : 'unknown_domain', details);
  }
  if (status === 404) throw new PostmasterError('unknown_domain', details);
  const parsed = form.safeParse(body);
  if (status !== 200 || !parsed.success) throw new PostmasterError('unavailable', details);
  return parsed.data;
}
