// SMS providers of this installation, from SMS_URL:
// `twilio://AC…:token@api.twilio.com?priority=1&weight=1`, several separated by spaces. `smpp://`
// and `smpps://` use SMPP 3.4 instead of HTTP.
import type { OpenSmsRelay, PooledSms } from '#areas/delivery/server/sender/index.ts';
import type { KnownReader } from '#areas/sms/server/index.ts';
import { CannotStart } from '#platform/server/process/cannot-start.ts';
import { openSmpp, type SmppListener } from '#providers/smpp/index.ts';
import { openHttpSms, type SmsAccount } from '#providers/sms-http/index.ts';
import { HTTP_KINDS, SMPP_PORTS, type SmsKind } from './sms-kinds.ts';

const KINDS: Readonly<Record<string, SmsKind>> = HTTP_KINDS;
const MAX_CONCURRENT = 16;

type SmsProviders = { pool: PooledSms[]; readers: KnownReader[] };

/** Ignores all events: for processes that send no SMS, and therefore do not bind to an SMSC. */
const IGNORING_LISTENER: SmppListener = {
  onEvent: async () => {},
  findReference: async () => undefined,
};

/**
 * @param listener handlers of receipts and inbound SMS that an SMSC sends over the sending
 * connection
 * @throws CannotStart if a provider is unknown, or a part of its address is missing or invalid
 */
export function smsProviders(
  urls: string,
  listener: SmppListener = IGNORING_LISTENER,
): SmsProviders {
  const providers = urls
    .trim()
    .split(/\s+/)
    .map((address) => providerOf(address, listener));
  return {
    pool: providers.map(({ sms }) => sms),
    readers: providers.flatMap(({ reader }) => reader ?? []),
  };
}

function providerOf(
  address: string,
  listener: SmppListener,
): { sms: PooledSms; reader?: KnownReader } {
  const url = parseAddress(address);
  const kind = url.protocol.slice(0, -1);
  if (kind === 'smpp' || kind === 'smpps') return { sms: smpp(url, listener) };
  const smsKind = KINDS[kind];
  if (!smsKind) {
    throw new CannotStart(
      `SMS_URL: unknown provider ${kind}; the providers are ${Object.keys(KINDS).join(', ')}, smpp, smpps.`,
    );
  }
  const scheme = url.searchParams.get('tls') === 'none' ? 'http' : 'https';
  const account: SmsAccount = {
    baseUrl: `${scheme}://${url.host || smsKind.host}`,
    user: decodeURIComponent(url.username),
    secret: decodeURIComponent(url.password),
    profile: url.searchParams.get('profile') ?? undefined,
  };
  if (account.secret === '') {
    throw new CannotStart(`SMS_URL: set the API key of ${kind} as the password of the URL.`);
  }
  const webhookKey = url.searchParams.get('webhook_key');
  const key = smsKind.key === 'secret' ? account.secret : webhookKey;
  if (!key) {
    throw new CannotStart(
      `SMS_URL: ${kind} needs webhook_key=, the key that signs its webhooks to /hooks/sms.`,
    );
  }
  const protocol = smsKind.createProtocol(account, key);
  const maxConcurrent = wholeNumber(url, 'connections', MAX_CONCURRENT) as number;
  return {
    sms: toPooledSms(url, smsKind.maxPartsPerSecond, openHttpSms(protocol, { maxConcurrent })),
    reader: { reader: smsKind.reader, key },
  };
}

const WINDOW = 10;

/**
 * Opens SMPP providers. Receipts and inbound SMS arrive over the connection itself, so there are no
 * callbacks.
 */
function smpp(url: URL, listener: SmppListener): PooledSms {
  const isTls = url.protocol === 'smpps:';
  const alphabet = url.searchParams.get('alphabet') ?? 'gsm7';
  if (url.hostname === '') throw new CannotStart('SMS_URL: smpp needs the host of the SMSC.');
  if (url.username === '') throw new CannotStart('SMS_URL: smpp needs the system ID as the user.');
  if (alphabet !== 'gsm7' && alphabet !== 'latin1') {
    throw new CannotStart('SMS_URL: alphabet= must be gsm7 or latin1.');
  }
  const account = {
    ...{
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: Number(url.port) || (isTls ? SMPP_PORTS.tls : SMPP_PORTS.open),
    },
    ...{ isTls, systemType: url.searchParams.get('system_type') ?? '' },
    user: decodeURIComponent(url.username),
    secret: decodeURIComponent(url.password),
  };
  const window = wholeNumber(url, 'window', WINDOW) as number;
  return toPooledSms(url, null, openSmpp({ account, window, alphabet, listener }));
}

function toPooledSms(url: URL, perSecond: number | null, open: OpenSmsRelay): PooledSms {
  return {
    key: `installation/sms/${url.protocol}//${url.username}@${url.host}`,
    priority: wholeNumber(url, 'priority', 1) as number,
    weight: wholeNumber(url, 'weight', 1) as number,
    limits: {
      perSecond: wholeNumber(url, 'rate', perSecond),
      perMinute: wholeNumber(url, 'minute', null),
      perHour: wholeNumber(url, 'hour', null),
      perDay: wholeNumber(url, 'day', null),
    },
    numberLimits: numberLimits(url),
    open,
  };
}

/** `number=+15125550177:60`: SMS parts per minute from one number or sender name. */
function numberLimits({ search }: URL): PooledSms['numberLimits'] {
  const limits = new Map<string, PooledSms['limits']>();
  // URLSearchParams decodes a plus in a query as a space.
  for (const pair of search.slice(1).split('&')) {
    const [name, value = ''] = pair.split('=', 2);
    if (name !== 'number') continue;
    const [, number = '', count] =
      /^([^:\s]+):([1-9]\d{0,6})$/.exec(decodeURIComponent(value)) ?? [];
    if (number === '') {
      throw new CannotStart(
        'SMS_URL: number= must be a number or sender name and its parts per minute (number=+15125550177:60).',
      );
    }
    limits.set(number, { perMinute: Number(count) });
  }
  return limits;
}

function wholeNumber(url: URL, name: string, fallback: number | null): number | null {
  const text = url.searchParams.get(name);
  const value = text === null ? fallback : Number(text);
  if (value !== null && !(Number.isInteger(value) && value >= 1)) {
    throw new CannotStart(`SMS_URL: ${name}= must be a whole number, 1 or more.`);
  }
  return value;
}

function parseAddress(address: string): URL {
  try {
    return new URL(address);
  } catch {
    throw new CannotStart('SMS_URL contains an invalid address.');
  }
}
