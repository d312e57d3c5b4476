// SMTP_URL: smtp[s]://user:password@host:port?tls=…&connections=…&messages=…&rate=…&name=…
// &chunking=no, and what follows from it.
import { isIPv4, type LookupFunction } from 'node:net';
import { hostname } from 'node:os';
import type { SecureContextOptions } from 'node:tls';
import { CannotStart } from '#platform/server/cannot-start.ts';

/**
 * - `implicit`: TLS from the first byte (RFC 8314); smtps://.
 * - `required`: STARTTLS or nothing, with a certificate that holds.
 * - `opportunistic`: STARTTLS where offered, whoever signed its certificate.
 * - `none`: in the clear; loopback only.
 */
export type TlsMode = 'implicit' | 'required' | 'opportunistic' | 'none';

/** Milliseconds that the relay has for each answer; the defaults are those of RFC 5321 4.5.3.2. */
export interface TimeLimits {
  readonly connect: number;
  readonly banner: number;
  readonly ehlo: number;
  readonly starttls: number;
  readonly auth: number;
  readonly mail: number;
  readonly rcpt: number;
  readonly data: number;
  /** Sending the message and its answer together. */
  readonly dot: number;
  readonly quit: number;
}

export interface SmtpOptions {
  readonly host: string;
  readonly port: number;
  readonly user?: string;
  readonly password?: string;
  readonly tls: TlsMode;
  /** How many connections at most. */
  readonly connections: number;
  /** Messages per connection; 0 = no limit. */
  readonly messages: number;
  /** Messages per second over all connections; 0 = no limit. */
  readonly rate: number;
  /** Whether BDAT may be used where the relay offers it; off for relays that do it wrong. */
  readonly chunking: boolean;
  /** What EHLO says. */
  readonly name: string;
  readonly limits: TimeLimits;
  /** A connection with nothing to do says QUIT after so many milliseconds. */
  readonly idle: number;
  /** The first wait after a failed connection, in milliseconds; doubles up to `longestWait`. */
  readonly firstWait: number;
  readonly longestWait: number;
  /** Resolves the host (a relay of an account's own: to the address that was checked). */
  readonly lookup?: LookupFunction;
  /** Further certificate authorities. */
  readonly ca?: SecureContextOptions['ca'];
}

const MINUTE = 60_000;
const KEYS = ['tls', 'connections', 'messages', 'rate', 'chunking', 'name'];
/** Options of a pool, which are read elsewhere. */
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
  idle: 30_000,
  firstWait: 1_000,
  longestWait: MINUTE,
};

/** A sentence for whoever wrote the address; never holds the password. */
export class SmtpUrlError extends CannotStart {}

/**
 * Reads SMTP_URL. Throws SmtpUrlError with a sentence that says what is wrong.
 * @param ownName what EHLO says where the address names nothing
 */
export function parseSmtpUrl(
  address: string,
  rest: Partial<SmtpOptions> = {},
  ownName?: string,
): SmtpOptions {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || (url.protocol !== 'smtp:' && url.protocol !== 'smtps:') || !url.hostname) {
    throw new SmtpUrlError('SMTP_URL must look like smtp://user:password@host:port or smtps://…');
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const user = decoded(url.username);
  const tls = tlsMode(url, host, user !== '');
  checkOptions(url.searchParams);
  return {
    ...DEFAULTS,
    host,
    port: url.port ? Number(url.port) : defaultPort(tls, user !== ''),
    ...(user ? { user, password: decoded(url.password) } : {}),
    tls,
    connections: count(url.searchParams, 'connections', DEFAULTS.connections, 1, 1_000),
    messages: count(url.searchParams, 'messages', DEFAULTS.messages, 0, 1_000_000),
    rate: count(url.searchParams, 'rate', DEFAULTS.rate, 0, 1_000_000),
    chunking: !isNo(url.searchParams, 'chunking'),
    name: ehloName(url.searchParams.get('name'), ownName),
    ...rest,
  };
}

/** A password with a bare % is common, and what it means is not to be guessed. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new SmtpUrlError('SMTP_URL: write % in the user or password as %25.');
  }
}

type Given = Pick<SmtpOptions, 'host' | 'port' | 'tls' | 'connections' | 'messages' | 'chunking'>;

/** Options of a relay that is settled otherwise than by an address; the rest as usual. */
export function smtpOptions(
  given: Given & { user?: string; password?: string },
  rest: Partial<SmtpOptions> = {},
  ownName?: string,
): SmtpOptions {
  return { ...DEFAULTS, name: ehloName(null, ownName), ...given, ...rest };
}

/** Whether the host is this machine, by its name alone. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function tlsMode(url: URL, host: string, hasUser: boolean): TlsMode {
  const asked = url.searchParams.get('tls');
  if (url.protocol === 'smtps:') {
    if (asked !== null && asked !== 'required') {
      throw new SmtpUrlError('SMTP_URL: smtps:// is always encrypted; leave out tls=.');
    }
    return 'implicit';
  }
  if (asked === null) {
    return hasUser && !isLoopback(host) ? 'required' : 'opportunistic';
  }
  if (asked === 'none' && !isLoopback(host)) {
    throw new SmtpUrlError('SMTP_URL: tls=none is for a relay on this machine only.');
  }
  if (asked === 'none' || asked === 'required' || asked === 'opportunistic') {
    return asked;
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
      const known = [...KEYS, ...POOL_KEYS].join(', ');
      throw new SmtpUrlError(`SMTP_URL: '${key}' is not an option (${known} are).`);
    }
  }
}

function count(
  query: URLSearchParams,
  key: string,
  otherwise: number,
  least: number,
  most: number,
) {
  const text = query.get(key);
  if (text === null) {
    return otherwise;
  }
  const value = Number(text);
  if (!Number.isInteger(value) || value < least || value > most) {
    throw new SmtpUrlError(`SMTP_URL: ${key}= must be a whole number from ${least} to ${most}.`);
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

// RFC 5321 4.1.4: a full name, or else an address literal. A container's own name is none, and large relays
// refuse to speak with whoever calls itself by a loopback address.
function ehloName(asked: string | null, ownName?: string): string {
  for (const name of [asked, ownName, hostname()]) {
    if (name && isIPv4(name)) return `[${name}]`;
    if (name && /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(name)) return name;
  }
  return '[127.0.0.1]';
}
