// Google Postmaster Tools, version 2: Gmail's daily statistics about a domain's email. Days with
// little email have no data.
// https://developers.google.com/workspace/gmail/postmaster/reference/rest/v2
import { createPrivateKey } from 'node:crypto';
import { SignJWT } from 'jose';
import { z } from 'zod';
import { parseJson } from '#platform/server/clean-text.ts';
import { clock } from '#platform/server/clock.ts';
import {
  callService,
  type OAuthClient,
  type OAuthUrls,
  readResponse,
  refreshAccess,
  requestTokens,
} from '../oauth/oauth.ts';
import { ComplianceStatus, type ComplianceVerdict, readVerdicts } from './compliance.ts';

export const SCOPE = 'https://www.googleapis.com/auth/postmaster.traffic.readonly';
const PAGE_ROWS = 200;
const MAX_PAGES = 20;
const TOKEN_SECONDS = 3_600;

export type PostmasterUrls = OAuthUrls & { api: string };
export const GOOGLE: PostmasterUrls = {
  consent: 'https://accounts.google.com/o/oauth2/v2/auth',
  token: 'https://oauth2.googleapis.com/token',
  revoke: 'https://oauth2.googleapis.com/revoke',
  api: 'https://gmailpostmastertools.googleapis.com',
};

export type PostmasterCredentials =
  | { by: 'consent'; refreshToken: string }
  | { by: 'key'; email: string; privateKey: string };

/** The names in our tables, Google's metrics and their filters. `inbound` means email to Gmail. */
const METRICS = [
  ['spam_rate', 'SPAM_RATE', undefined],
  ['tls', 'TLS_ENCRYPTION_RATE', 'traffic_direction = "inbound"'],
  ['dkim', 'AUTH_SUCCESS_RATE', 'auth_type = "dkim"'],
  ['spf', 'AUTH_SUCCESS_RATE', 'auth_type = "spf"'],
  ['dmarc', 'AUTH_SUCCESS_RATE', 'auth_type = "dmarc"'],
  ['errors', 'DELIVERY_ERROR_RATE', undefined],
] as const;

export type SignalKind = (typeof METRICS)[number][0];
export type PostmasterSignal = { kind: SignalKind; day: string; value: number };

export const SIGNAL_KINDS: readonly SignalKind[] = METRICS.map(([kind]) => kind);
const SIGNAL_KIND_SET: ReadonlySet<string> = new Set(SIGNAL_KINDS);

export async function requestAccessToken(
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
    return (await requestTokens(urls, { grant_type: grant, assertion })).accessToken;
  }
  return (await refreshAccess(urls, client, credentials.refreshToken)).accessToken;
}

const Key = z.object({
  type: z.literal('service_account'),
  client_email: z.email().max(320),
  private_key: z.string().max(10_000),
});

/** Reads a key; undefined unless the text is the JSON key of a service account. */
export function readServiceKey(text: string): PostmasterCredentials | undefined {
  try {
    const { client_email: email, private_key: privateKey } = Key.parse(parseJson(text));
    const key = createPrivateKey(privateKey);
    const keyBits = key.asymmetricKeyDetails?.modulusLength ?? 0;
    // RS256 requires 2,048 bits (RFC 7518, section 3.3).
    return key.asymmetricKeyType === 'rsa' && keyBits >= 2048
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
            stringList: z.object({ values: z.array(z.string()).default([]) }).optional(),
          })
          .optional(),
      }),
    )
    .default([]),
  nextPageToken: z.string().optional(),
});
type DomainStat = z.infer<typeof Stats>['domainStats'][number];

/** Reads a share; undefined for rows without a day or with a share outside 0 to 1. */
function readShare({ date, value }: DomainStat): { day: string; share: number } | undefined {
  const ratio = Number(value?.doubleValue ?? value?.floatValue ?? value?.intValue ?? Number.NaN);
  if (!date || !(ratio >= 0 && ratio <= 1)) return undefined;
  const at = new Date(Date.UTC(date.year, date.month - 1, date.day));
  if (at.getUTCDate() !== date.day || at.getUTCFullYear() !== date.year) return undefined;
  return { day: at.toISOString().slice(0, 10), share: ratio };
}

const parseDate = (day: string) => {
  const [year, month, date] = day.split('-').map(Number);
  return { year, month, day: date };
};

type DayRange = { domain: string; from: string; to: string };
/** The name in the response, Google's metric, and its filter. */
type MetricDefinition = readonly [name: string, metric: string, filter: string | undefined];

async function queryStats(
  urls: PostmasterUrls,
  token: string,
  { domain, from, to }: DayRange,
  definitions: readonly MetricDefinition[],
): Promise<DomainStat[]> {
  const parent = `domains/${domain}`;
  const body = {
    parent,
    metricDefinitions: definitions.map(([name, standardMetric, filter]) => ({
      ...{ name, baseMetric: { standardMetric } },
      ...(filter && { filter }),
    })),
    timeQuery: { dateRanges: { dateRanges: [{ start: parseDate(from), end: parseDate(to) }] } },
    aggregationGranularity: 'DAILY',
    pageSize: PAGE_ROWS,
  };
  const stats: DomainStat[] = [];
  let pageToken: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const response = await callService(`${urls.api}/v2/${parent}/domainStats:query`, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, ...(pageToken && { pageToken }) }),
    });
    const domainStats = readResponse(response, Stats);
    stats.push(...domainStats.domainStats);
    pageToken = domainStats.nextPageToken;
    if (!pageToken) break;
  }
  return stats;
}

/** @throws ServiceError with `unknown_domain` if the user has no access to the domain */
export async function querySignals(
  urls: PostmasterUrls,
  token: string,
  range: DayRange,
): Promise<PostmasterSignal[]> {
  return (await queryStats(urls, token, range, METRICS)).flatMap((stat) => {
    const rate = SIGNAL_KIND_SET.has(stat.metric) ? readShare(stat) : undefined;
    return rate ? [{ kind: stat.metric as SignalKind, day: rate.day, value: rate.share }] : [];
  });
}

export type CampaignRate = { messageId: number; day: string; rate: number };

/**
 * The maximum number of campaigns to request rates for, newest first, and their number per request.
 */
const MAX_CAMPAIGNS = 50;
const CAMPAIGNS_PER_CALL = 10;

/**
 * Reads the spam rates of campaigns identified in Feedback-ID (by `m` and the message's ID). Gmail
 * reports only large campaigns.
 */
export async function queryCampaignRates(
  urls: PostmasterUrls,
  token: string,
  range: DayRange,
): Promise<CampaignRate[]> {
  const identifiers = await queryStats(urls, token, range, [
    ['ids', 'FEEDBACK_LOOP_ID', undefined],
  ]);
  const ids = new Set(
    identifiers
      .flatMap(({ value }) => value?.stringList?.values ?? [])
      .flatMap((id) => /^m(\d{1,15})$/.exec(id)?.[1] ?? [])
      .map(Number),
  );
  const newest = [...ids].sort((a, b) => b - a).slice(0, MAX_CAMPAIGNS);
  const rates: CampaignRate[] = [];
  for (let start = 0; start < newest.length; start += CAMPAIGNS_PER_CALL) {
    const definitions = newest
      .slice(start, start + CAMPAIGNS_PER_CALL)
      .map((id) => [`m${id}`, 'FEEDBACK_LOOP_SPAM_RATE', `feedback_loop_id = "m${id}"`] as const);
    for (const stat of await queryStats(urls, token, range, definitions)) {
      const rate = readShare(stat);
      const messageId = Number(stat.metric.slice(1));
      if (rate && ids.has(messageId)) rates.push({ messageId, day: rate.day, rate: rate.share });
    }
  }
  return rates;
}

/** @throws ServiceError with `unknown_domain` if the user has no access to the domain */
export async function queryCompliance(
  urls: PostmasterUrls,
  token: string,
  domain: string,
): Promise<ComplianceVerdict[]> {
  const url = `${urls.api}/v2/domains/${domain}/complianceStatus`;
  const response = await callService(url, { headers: { authorization: `Bearer ${token}` } });
  return readVerdicts(readResponse(response, ComplianceStatus));
}
