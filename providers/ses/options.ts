// Options of SES as a relay. They can also be parsed from an address in SMTP_URL:
// ses://accessKey:secretKey@email.eu-north-1.amazonaws.com?rate=14&connections=20&set=marketing
import { CannotStart } from '#platform/server/process/cannot-start.ts';
import type { SesOptions } from './request.ts';

const DEFAULTS = {
  connections: 10,
  rate: 0,
  timeoutMs: 60_000,
  firstWaitMs: 1_000,
  maxWaitMs: 60_000,
};
const KEYS = ['connections', 'rate', 'set'];
/** Options of the pool, parsed elsewhere. */
const POOL_KEYS = ['priority', 'weight', 'minute', 'hour', 'day', 'domain', 'dkim'];
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

export type SesSettings = {
  host: string;
  port: number;
  accessKey: string;
  secretKey: string;
};

/**
 * Adds defaults and the region to the settings. The region is read from the name of an AWS host;
 * for all other hosts, which only tests use, it is us-east-1.
 */
export function parseSesOptions(
  { host, port, accessKey, secretKey }: SesSettings,
  overrides: Partial<SesOptions> = {},
): SesOptions {
  const isHere = LOOPBACK.has(host);
  const region = /^email(?:-fips)?\.([a-z0-9-]+)\.amazonaws\.com/.exec(host)?.[1] ?? 'us-east-1';
  const endpoint = new URL(`${isHere ? 'http' : 'https'}://${host}:${port}`);
  return { ...DEFAULTS, endpoint, region, accessKey, secretKey, ...overrides };
}

/**
 * Parses a ses:// address in SMTP_URL. Throws an error with a message that explains the mistake.
 */
export function parseSesUrl(address: string, overrides: Partial<SesOptions> = {}): SesOptions {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || url.protocol !== 'ses:' || !url.username || !url.password || !url.hostname) {
    throw new CannotStart(
      'SMTP_URL: the address of SES is ses://accessKey:secretKey@email.<region>.amazonaws.com',
    );
  }
  checkOptions(url.searchParams);
  const accessKey = decodeUrlPart(url.username);
  if (!/^[\x21-\x7e]+$/.test(accessKey)) {
    throw new CannotStart('SMTP_URL: the access key of SES contains an invalid character.');
  }
  const configurationSet = url.searchParams.get('set') ?? undefined;
  if (configurationSet !== undefined && !/^[\w-]{1,64}$/.test(configurationSet)) {
    throw new CannotStart('SMTP_URL: set= must be the name of an SES configuration set.');
  }
  const settings = {
    host: url.hostname,
    port: url.port ? Number(url.port) : 443,
    accessKey,
    secretKey: decodeUrlPart(url.password),
  };
  return parseSesOptions(settings, {
    connections: wholeNumber(url, 'connections', 1, 1_000) ?? DEFAULTS.connections,
    rate: wholeNumber(url, 'rate', 0, 1_000_000) ?? DEFAULTS.rate,
    configurationSet,
    ...overrides,
  });
}

function checkOptions(query: URLSearchParams): void {
  for (const key of query.keys()) {
    if (KEYS.includes(key) || POOL_KEYS.includes(key)) continue;
    const knownKeys = [...KEYS, ...POOL_KEYS].join(', ');
    throw new CannotStart(
      `SMTP_URL: '${key}' is not an option of SES; the options are ${knownKeys}.`,
    );
  }
}

/** The meaning of a bare % in a secret is ambiguous, so it is refused. */
function decodeUrlPart(urlPart: string): string {
  try {
    return decodeURIComponent(urlPart);
  } catch {
    throw new CannotStart('SMTP_URL: write % in the access key or its secret as %25.');
  }
}

function wholeNumber(url: URL, key: string, min: number, max: number): number | undefined {
  const text = url.searchParams.get(key);
  if (text === null) return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new CannotStart(`SMTP_URL: ${key}= must be a whole number from ${min} to ${max}.`);
  }
  return value;
}
