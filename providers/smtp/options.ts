// SMTP_URL and the options derived from it:
// smtp[s]://user:password@host:port?tls=…&connections=…&messages=…&rate=…&name=…&chunking=no
import { isIPv4, type LookupFunction } from 'node:net';
import { hostname } from 'node:os';
import type { SecureContextOptions } from 'node:tls';
import { CannotStart } from '#platform/server/process/cannot-start.ts';

/**
 * - `implicit`: TLS from the first byte (RFC 8314); smtps://.
 * - `required`: STARTTLS with a valid certificate, otherwise no connection.
 * - `opportunistic`: STARTTLS where offered, with any certificate.
 * - `none`: unencrypted; loopback only.
 */
export type TlsMode = 'implicit' | 'required' | 'opportunistic' | 'none';

/**
 * Milliseconds for each reply of the relay. Where RFC 5321 4.5.3.2 recommends a limit, it is the
 * default.
 */
export interface TimeLimits {
  readonly connect: number;
  readonly banner: number;
  readonly ehlo: number;
  readonly starttls: number;
  readonly auth: number;
  readonly mail: number;
  readonly rcpt: number;
  readonly data: number;
  /** Sending the message and waiting for its reply together. */
  readonly dot: number;
  readonly quit: number;
}

export interface SmtpOptions {
  readonly host: string;
  readonly port: number;
  readonly user?: string;
  readonly password?: string;
  readonly tls: TlsMode;
  /** Maximum number of connections. */
  readonly connections: number;
  /** Messages per connection; 0 = no limit. */
  readonly messages: number;
  /** Messages per second across all connections; 0 = no limit. */
  readonly rate: number;
  /** Whether BDAT may be used where offered; off for relays that implement it wrongly. */
  readonly allowsChunking: boolean;
  /** The EHLO name. */
  readonly name: string;
  readonly limits: TimeLimits;
  /** An idle connection sends QUIT after this many milliseconds. */
  readonly idleMs: number;
  /** The first wait after a failed connection; doubles up to `maxWaitMs`. */
  readonly firstWaitMs: number;
  readonly maxWaitMs: number;
  /** Resolves the host; for an account's own relay, to the verified address. */
  readonly lookup?: LookupFunction;
  /** Additional certificate authorities. */
  readonly ca?: SecureContextOptions['ca'];
}

const MINUTE = 60_000;
const KEYS = ['tls', 'connections', 'messages', 'rate', 'chunking', 'name'];
/** Options of the pool, parsed elsewhere. */
const POOL_KEYS = ['priority', 'weight', 'minute', 'hour', 'day', 'domain', 'dkim'];

const DEFAULTS = {
  connections: 10,
  messages: 0,
  rate: 0,
  limits: {
    connect: 30_000,
    banner: 5 * MINUTE,
    ehlo: 5 * MINUTE,
    starttls: 2 * MINUTE,
    auth: 2 * MINUTE,
    mail: 5 * MINUTE,
    rcpt: 5 * MINUTE,
    data: 2 * MINUTE,
    dot: 10 * MINUTE,
    quit: 5_000,
  },
  idleMs: 30_000,
  firstWaitMs: 1_000,
  maxWaitMs: MINUTE,
};

/** Explains a mistake in SMTP_URL to its author; the message never contains the password. */
export class SmtpUrlError extends CannotStart {}

/**
 * Parses SMTP_URL. Throws SmtpUrlError with a message that explains the mistake.
 * @param ownName EHLO name if the URL has none
 */
export function parseSmtpUrl(
  address: string,
  overrides: Partial<SmtpOptions> = {},
  ownName?: string,
): SmtpOptions {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || (url.protocol !== 'smtp:' && url.protocol !== 'smtps:') || !url.hostname) {
    throw new SmtpUrlError('SMTP_URL must look like smtp://user:password@host:port or smtps://…');
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const user = decodeUrlPart(url.username);
  const tls = tlsMode(url, host, user !== '');
  checkOptions(url.searchParams);
  return {
    ...DEFAULTS,
    host,
    port: url.port ? Number(url.port) : defaultPort(tls, user !== ''),
    ...(user ? { user, password: decodeUrlPart(url.password) } : {}),
    tls,
    connections: count(url.searchParams, 'connections', DEFAULTS.connections, 1, 1_000),
    messages: count(url.searchParams, 'messages', DEFAULTS.messages, 0, 1_000_000),
    rate: count(url.searchParams, 'rate', DEFAULTS.rate, 0, 1_000_000),
    allowsChunking: !isNo(url.searchParams, 'chunking'),
    name: ehloName(url.searchParams.get('name'), ownName),
    ...overrides,
  };
}

/** A bare % in a password is common, and its meaning is ambiguous, so it is refused. */
function decodeUrlPart(urlPart: string): string {
  try {
    return decodeURIComponent(urlPart);
  } catch {
    throw new SmtpUrlError('SMTP_URL: write % in the user or password as %25.');
  }
}

type SmtpRelaySettings = Pick<
  SmtpOptions,
  'host' | 'port' | 'tls' | 'connections' | 'messages' | 'allowsChunking'
>;

/** Options of a relay that is not configured with a URL. Omitted options have their default. */
export function parseSmtpOptions(
  settings: SmtpRelaySettings & { user?: string; password?: string },
  overrides: Partial<SmtpOptions> = {},
  ownName?: string,
): SmtpOptions {
  return { ...DEFAULTS, name: ehloName(null, ownName), ...settings, ...overrides };
}

/** Returns whether the host name means this machine; names are not resolved. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function tlsMode(url: URL, host: string, hasUser: boolean): TlsMode {
  const requestedTls = url.searchParams.get('tls');
  if (url.protocol === 'smtps:') {
    if (requestedTls !== null && requestedTls !== 'required') {
      throw new SmtpUrlError('SMTP_URL: smtps:// is always encrypted; omit tls=.');
    }
    return 'implicit';
  }
  if (requestedTls === null) {
    return hasUser && !isLoopback(host) ? 'required' : 'opportunistic';
  }
  if (requestedTls === 'none' && !isLoopback(host)) {
    throw new SmtpUrlError('SMTP_URL: tls=none is allowed only for a relay on this machine.');
  }
  if (requestedTls === 'none' || requestedTls === 'required' || requestedTls === 'opportunistic') {
    return requestedTls;
  }
  throw new SmtpUrlError('SMTP_URL: tls= must be required, opportunistic or none.');
}

function defaultPort(tls: TlsMode, hasUser: boolean): number {
  if (tls === 'implicit') {
    return 465;
  }
  return hasUser ? 587 : 25;
}

function checkOptions(query: URLSearchParams): void {
  for (const key of query.keys()) {
    if (!KEYS.includes(key) && !POOL_KEYS.includes(key)) {
      const knownKeys = [...KEYS, ...POOL_KEYS].join(', ');
      throw new SmtpUrlError(`SMTP_URL: '${key}' is not an option; the options are ${knownKeys}.`);
    }
  }
}

function count(
  query: URLSearchParams,
  key: string,
  defaultValue: number,
  min: number,
  max: number,
) {
  const text = query.get(key);
  if (text === null) {
    return defaultValue;
  }
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new SmtpUrlError(`SMTP_URL: ${key}= must be a whole number from ${min} to ${max}.`);
  }
  return value;
}

function isNo(query: URLSearchParams, key: string): boolean {
  const text = query.get(key) ?? 'yes';
  if (text !== 'yes' && text !== 'no') {
    throw new SmtpUrlError(`SMTP_URL: ${key}= must be yes or no.`);
  }
  return text === 'no';
}

// RFC 5321 4.1.4 requires a fully qualified name or an address literal. A container's own name is
// neither, and large relays refuse clients that use a loopback address.
function ehloName(configuredName: string | null, ownName?: string): string {
  for (const name of [configuredName, ownName, hostname()]) {
    if (name && isIPv4(name)) return `[${name}]`;
    if (name && /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(name)) return name;
  }
  return '[127.0.0.1]';
}
