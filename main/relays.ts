// The installation's relays by SMTP_URL, and how accounts' own relays are opened and tested.
import { readCopyFields } from '#areas/delivery/server/feedback/index.ts';
import {
  isAmazonSes,
  openPool,
  type OpenRelay,
  getPaceKey,
  type PooledRelay,
  type RelayKinds,
  type RelaySettings,
} from '#areas/delivery/server/sender/index.ts';
import { CannotStart } from '#platform/server/process/cannot-start.ts';
import { type Config, isLoopbackUrl } from '#platform/server/config.ts';
import type { Db } from '#platform/server/database/database.ts';
import { publicLookup, refusePrivateAddress } from '#platform/server/outgoing/outgoing-address.ts';
import { openSesRelay, parseSesUrl, SesClient, parseSesOptions } from '#providers/ses/index.ts';
import {
  attemptSmtp,
  openSmtpRelay,
  parseSmtpUrl,
  parseSmtpOptions,
} from '#providers/smtp/index.ts';

/** @throws CannotStart for an unknown option of SMTP_URL */
export function checkRelayOptions(config: Config): void {
  const addresses = config.smtpUrl?.trim().split(/\s+/) ?? [];
  for (const address of addresses) pooledRelay(address, ownName(config));
}

/** Returns the configured relays, or the built-in inbox, as one pool. */
export function instancePool(db: Db, config: Config): OpenRelay {
  const urls = config.smtpUrl?.trim().split(/\s+/);
  const addresses = urls ?? [`smtp://127.0.0.1:${config.inboxSmtpPort ?? 1025}?tls=none`];
  const name = ownName(config);
  return openPool(
    db,
    addresses.map((address) => pooledRelay(address, name)),
  );
}

/** Returns the default EHLO name: the public host name of this installation. */
function ownName({ publicUrl }: Config): string | undefined {
  return isLoopbackUrl(publicUrl) ? undefined : new URL(publicUrl).hostname;
}

function pooledRelay(address: string, name: string | undefined): PooledRelay {
  const url = new URL(address);
  const readInteger = (key: string, fallback: number | null, min = 1) => {
    const text = url.searchParams.get(key);
    const value = text === null ? fallback : Number(text);
    if (value !== null && !(Number.isInteger(value) && value >= min)) {
      throw new CannotStart(`SMTP_URL: ${key}= must be a whole number, ${min} or more.`);
    }
    return value;
  };
  return {
    key: `installation/${url.username}@${url.host}`,
    priority: readInteger('priority', 1) as number,
    weight: readInteger('weight', 1) as number,
    limits: {
      perSecond: readInteger('rate', 0, 0) || null,
      perMinute: readInteger('minute', null),
      perHour: readInteger('hour', null),
      perDay: readInteger('day', null),
    },
    domainLimits: domainLimits(url),
    signsMessages: signsByItself(url),
    fields: readCopyFields(url.hostname),
    open: openerOf(address, name),
  };
}

/**
 * Parses `domain=gmail.com:600`: the maximum number of messages per minute to one mailbox provider.
 * Accounts can set the same limits for their own relays.
 */
function domainLimits({ searchParams }: URL): PooledRelay['domainLimits'] {
  const limits = new Map<string, PooledRelay['limits']>();
  const paces = new Set<string>();
  for (const text of searchParams.getAll('domain')) {
    const [, name = '', count] = /^([^:\s]+):([1-9]\d{0,6})$/.exec(text) ?? [];
    const paceKey = getPaceKey(`@${name}`);
    if (name === '' || paces.has(paceKey)) {
      throw new CannotStart(
        'SMTP_URL: domain= must be a domain and its messages per minute (domain=gmail.com:600), once per domain; all domains of a mailbox provider count as one.',
      );
    }
    paces.add(paceKey);
    limits.set(name, { perMinute: Number(count) });
  }
  return limits;
}

/** Amazon SES signs for each verified domain and refuses messages with another DKIM signature. */
function signsByItself({ protocol, hostname, searchParams }: URL): boolean {
  const dkim = searchParams.get('dkim');
  if (dkim !== null && dkim !== 'yes' && dkim !== 'no') {
    throw new CannotStart('SMTP_URL: dkim= must be yes or no.');
  }
  if (dkim !== null) return dkim === 'no';
  return protocol === 'ses:' || isAmazonSes(hostname);
}

function openerOf(address: string, name: string | undefined): OpenRelay {
  // The pool enforces the rate across all sender processes.
  const noRate = { rate: 0 };
  if (address.startsWith('ses:')) {
    const options = parseSesUrl(address, noRate);
    return (source) => openSesRelay(options, source);
  }
  const options = parseSmtpUrl(address, noRate, name);
  return (source) => openSmtpRelay(options, source);
}

export function relayKinds(config: Config): RelayKinds {
  return { smtp: smtpKind(ownName(config)), ses: sesKind };
}

function smtpKind(name: string | undefined): RelayKinds['smtp'] {
  return {
    open(settings) {
      const options = ownSmtp(settings, name);
      return (source) => openSmtpRelay(options, source);
    },
    async attempt(settings, message, signal) {
      refusePrivateAddress(settings.host);
      return attemptSmtp(ownSmtp(settings, name), message, signal);
    },
  };
}

const sesKind: RelayKinds['ses'] = {
  open(settings) {
    const options = ownSes(settings);
    return (source) => openSesRelay(options, source);
  },
  async attempt(settings, message, signal) {
    refusePrivateAddress(settings.host);
    const client = new SesClient(ownSes(settings));
    try {
      const raw = Buffer.alloc(message.size);
      const messageBytes = raw.subarray(0, message.write(raw, 0));
      const result = await client.send(message, messageBytes, signal);
      const request = `POST https://${settings.host}/v2/email/outbound-emails (${raw.length} B)`;
      const response = `${result.code || ''} ${result.reply}`.trim();
      const speaker = result.code === 0 ? 'note' : 'relay';
      return {
        result,
        lines: [
          { who: 'us', text: request },
          { who: speaker, text: response },
        ],
      };
    } finally {
      client.close();
    }
  },
};

function ownSmtp(settings: RelaySettings, name: string | undefined) {
  const { host, port, tls, username, password, connections, messages } = settings;
  const user = username === '' ? {} : { user: username, password };
  const connection = {
    host,
    port,
    tls,
    connections,
    messages,
    allowsChunking: settings.hasChunking,
    ...user,
  };
  return parseSmtpOptions(connection, { lookup: guardLookup(host) }, name);
}

function ownSes({ host, port, username, password, connections }: RelaySettings) {
  const settings = { host, port, accessKey: username, secretKey: password };
  return parseSesOptions(settings, { connections, lookup: guardLookup(host) });
}

/** Checks IP addresses here because they need no lookup. The lookup checks host names. */
function guardLookup(host: string): typeof publicLookup {
  refusePrivateAddress(host);
  return publicLookup;
}
