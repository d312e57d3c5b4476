// Finds the folder of a copy in a seed mailbox by IMAP over TLS. It connects only to public hosts,
// and limits everything that a server can send. No email in the mailbox is opened, marked or moved.
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { ImapFlow, type ListResponse } from 'imapflow';
import { cleanText } from '#platform/server/clean-text.ts';
import {
  PrivateAddressError,
  isPrivateAddress,
} from '#platform/server/outgoing/outgoing-address.ts';

export type SeedLogin = { host: string; port: number; login: string } & (
  | { password: string }
  | { accessToken: string }
);
/** The header field that identifies a copy. */
export const MARK_HEADER = 'X-Sendloom-Copy';

export type FoundCopy = {
  place: 'inbox' | 'category' | 'spam';
  folder: string | null;
  isEncrypted: boolean | null;
};

export type SeedFault = 'refused' | 'unreachable';

export class SeedError extends Error {
  readonly fault: SeedFault;

  constructor(fault: SeedFault, cause: unknown) {
    super(`${fault}: ${cause instanceof Error ? cause.message : 'no answer'}`, { cause });
    this.fault = fault;
  }
}

const SESSION_MS = 60_000;
const CONNECT_MS = 15_000;
/** Maximum newest emails searched per folder. */
const MAX_EMAILS = 200;
const MAX_RESPONSE_BYTES = 512 * 1024;
const CATEGORIES = ['promotions', 'social', 'updates', 'forums'] as const;
const JUNK = /^(?:spam|junk(?: e-?mail)?|bulk(?: mail)?|courrier indésirable)$/i;

export type ImapDependencies = {
  /** Certificates trusted in addition to the system's, for tests. */
  ca?: string;
};

/** @throws SeedError */
export async function openMailbox(login: SeedLogin, tools: ImapDependencies = {}): Promise<void> {
  await runInSession(login, tools, () => Promise.resolve());
}

/**
 * Returns the folders of the marked copies found in the newest emails of the spam folder and inbox.
 * @throws SeedError
 */
export function findCopies(
  login: SeedLogin,
  marks: readonly string[],
  tools: ImapDependencies = {},
): Promise<Map<string, FoundCopy>> {
  return runInSession(login, tools, async (client) => {
    const folders = await client.list();
    const copiesByMark = new Map<string, FoundCopy>();
    const junk = folders.find(isJunk);
    for (const [place, path] of [
      ['spam', junk?.path],
      ['inbox', 'INBOX'],
    ] as const) {
      if (path === undefined) continue;
      for (const [mark, copy] of await listFolderCopies(client, path, marks)) {
        const category = place === 'inbox' ? await findCategory(client, copy.messageId) : undefined;
        const folder = category ?? (place === 'spam' ? path : null);
        copiesByMark.set(mark, {
          ...{
            place: category ? 'category' : place,
            folder: folder ? cleanText(folder.slice(0, 100)) : null,
          },
          isEncrypted: copy.isEncrypted,
        });
      }
    }
    return copiesByMark;
  });
}

const isJunk = ({ specialUse, name }: ListResponse) =>
  specialUse === '\\Junk' || (specialUse === undefined && JUNK.test(name));

type FetchedCopy = { messageId: string; isEncrypted: boolean | null };

async function listFolderCopies(
  client: ImapFlow,
  path: string,
  marks: readonly string[],
): Promise<Map<string, FetchedCopy>> {
  const copies = new Map<string, FetchedCopy>();
  // The folder is opened read-only, so that the provider never treats a seed as a reader.
  const mailbox = await client.mailboxOpen(path, { readOnly: true });
  if (mailbox.exists === 0) return copies;
  const range = `${Math.max(1, mailbox.exists - MAX_EMAILS + 1)}:*`;
  const headers = [MARK_HEADER, 'Message-ID', 'Received'];
  for await (const email of client.fetch(range, { headers })) {
    const fields = parseFields(email.headers?.toString('latin1') ?? '');
    const mark = fields.get(MARK_HEADER.toLowerCase())?.[0];
    if (mark === undefined || !marks.includes(mark)) continue;
    copies.set(mark, {
      messageId: fields.get('message-id')?.[0] ?? '',
      isEncrypted: isEncryptedDelivery(fields.get('received') ?? []),
    });
  }
  return copies;
}

function parseFields(headers: string): Map<string, string[]> {
  const fields = new Map<string, string[]>();
  for (const line of headers.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon < 1) continue;
    const name = line.slice(0, colon).trim().toLowerCase();
    const values = fields.get(name) ?? [];
    values.push(line.slice(colon + 1).trim());
    fields.set(name, values);
  }
  return fields;
}

/**
 * Returns whether the provider received the email with TLS (RFC 3848), according to the field that
 * its own server added for the first hop from outside; null if no field shows it.
 */
export function isEncryptedDelivery(receivedHeaders: readonly string[]): boolean | null {
  for (const field of receivedHeaders) {
    const protocol = /\bwith (?:utf8)?((?:e?smtp|lmtp)(?:s?a?))\b/i.exec(field)?.[1]?.toLowerCase();
    if (protocol === undefined || protocol.startsWith('lmtp')) continue;
    // Servers of one provider may relay to each other without TLS. Fields of such hops have no
    // `from name (…)` clause and are skipped.
    if (!/\bfrom\s+\S+\s+\(/i.test(field)) continue;
    const isTlsProtocol = /s$|sa$/.test(protocol.replace(/^e?smtp/, ''));
    return isTlsProtocol || /\b(?:version=)?tls ?(?:v?1|_?v?1)[._]?[0-3]?|cipher[= ]/i.test(field);
  }
  return null;
}

/**
 * Returns the tab of Gmail's inbox with the email; undefined for the first tab and for other
 * providers.
 */
async function findCategory(client: ImapFlow, messageId: string): Promise<string | undefined> {
  const id = messageId.replace(/^<|>$/g, '');
  if (!client.capabilities.has('X-GM-EXT-1') || !/^[\w.@+=$/-]+$/.test(id)) return undefined;
  for (const category of CATEGORIES) {
    const hits = await client.search({ gmraw: `category:${category} rfc822msgid:${id}` });
    if (hits && hits.length > 0) return category;
  }
  return undefined;
}

async function runInSession<T>(
  login: SeedLogin,
  { ca }: ImapDependencies,
  work: (client: ImapFlow) => Promise<T>,
): Promise<T> {
  const address = await resolvePublicAddress(login.host);
  const client = new ImapFlow({
    host: address,
    ...(isIP(login.host) === 0 && { servername: login.host }),
    port: login.port,
    secure: true,
    auth: {
      user: login.login,
      ...('password' in login ? { pass: login.password } : { accessToken: login.accessToken }),
    },
    logger: false,
    disableAutoIdle: true,
    ...{ connectionTimeout: CONNECT_MS, greetingTimeout: CONNECT_MS, socketTimeout: CONNECT_MS },
    ...{ maxLiteralSize: MAX_RESPONSE_BYTES / 2, maxResponseSize: MAX_RESPONSE_BYTES },
    ...{ maxLineLength: MAX_RESPONSE_BYTES / 2 },
    ...(ca && { tls: { ca } }),
  });
  // The calls also report failures, but without a listener an error event would end the process.
  client.on('error', () => undefined);
  const timer = setTimeout(() => client.close(), SESSION_MS);
  try {
    await client.connect();
    const result = await work(client);
    await client.logout();
    return result;
  } catch (error) {
    const isRefused = (error as { authenticationFailed?: boolean }).authenticationFailed === true;
    throw new SeedError(isRefused ? 'refused' : 'unreachable', error);
  } finally {
    clearTimeout(timer);
    client.close();
  }
}

/** Resolves the host once, so that the connection uses the address that was checked. */
async function resolvePublicAddress(host: string): Promise<string> {
  try {
    const addresses = isIP(host) === 0 ? await lookup(host, { all: true }) : [{ address: host }];
    const isPrivate = addresses.some(({ address }) => isPrivateAddress(address));
    const [first] = addresses;
    if (!first || isPrivate) throw new PrivateAddressError(host);
    return first.address;
  } catch (error) {
    throw new SeedError('unreachable', error);
  }
}
