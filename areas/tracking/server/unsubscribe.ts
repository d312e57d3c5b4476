// Unsubscribes the reader of an email by its unsubscribe page or by one click in the email client,
// and resubscribes a subscriber by that page.
import { readAccount } from '#areas/accounts/server/index.ts';
import {
  findEmailKeyOfDeleted,
  isSuppressed,
  reactivate,
  readSubscribers,
  suppress,
  unsubscribe,
} from '#areas/subscribers/server/index.ts';
import type { Language } from '#platform/languages.ts';
import { isLanguage } from '#platform/languages.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { type MessageSender, messageSender } from './events.ts';
import type { TokenPayload } from './token.ts';

export type PageReader = {
  language: Language;
  /** The account's title or, if it has none, the sender's name. */
  company: string;
  /**
   * The address with a masked local part because a forwarded email must not reveal it; empty for a
   * test email, and if the address is not stored.
   */
  email: string;
  /**
   * `known`: a subscriber. `address`: a deleted subscriber, or a single send without one, whose
   * address can still be suppressed. `unknown`: the address is no longer stored. `test`: a user of
   * the account reads a test email.
   */
  kind: 'known' | 'address' | 'unknown' | 'test';
  isSubscribed: boolean;
  /** Normalized address of a single send without a subscriber. Unsubscribing suppresses it. */
  addressKey?: string;
};

/** Reads the stored data about the reader of the page; undefined for a deleted account. */
export async function readReader(tx: Tx, payload: TokenPayload): Promise<PageReader | undefined> {
  const account = await readAccount(tx, payload.account).catch((error: unknown) => {
    if (error instanceof AppError) return undefined;
    throw error;
  });
  if (!account) return undefined;
  const [sender] = await messageSender.collect(tx, {
    accountId: payload.account,
    messageId: payload.message,
    ...(payload.subscriber === 0 ? { singleId: payload.ordinal } : {}),
  });
  const accountLanguage = isLanguage(account.language) ? account.language : 'eng';
  return {
    language: sender?.language ?? accountLanguage,
    company: account.title.trim() || sender?.name || '',
    ...(await (payload.subscriber === 0 ? addressStatusOf : readerStatusOf)(tx, payload, sender)),
  };
}

type ReaderStatus = Omit<PageReader, 'language' | 'company'>;

async function readerStatusOf(
  tx: Tx,
  { account, subscriber }: TokenPayload,
): Promise<ReaderStatus> {
  const [row] = await readSubscribers(tx, account, [subscriber]);
  if (row) {
    const isSubscribed = isIn(row.email_status);
    return { kind: 'known', email: hideName(row.email ?? ''), isSubscribed };
  }
  const key = await findEmailKeyOfDeleted(tx, account, subscriber);
  if (key === undefined) return { kind: 'unknown', email: '', isSubscribed: false };
  const isSubscribed = key !== null && !(await isSuppressed(tx, account, 'email', key));
  return { kind: 'address', email: hideName(key ?? ''), isSubscribed };
}

async function addressStatusOf(
  tx: Tx,
  { account }: TokenPayload,
  sender: MessageSender | undefined,
): Promise<ReaderStatus> {
  if (sender?.isTest) return { kind: 'test', email: '', isSubscribed: false };
  const addressKey = sender?.recipient?.toLowerCase();
  if (!addressKey) return { kind: 'unknown', email: '', isSubscribed: false };
  const isSubscribed = !(await isSuppressed(tx, account, 'email', addressKey));
  return { kind: 'address', email: hideName(addressKey), isSubscribed, addressKey };
}

const isIn = (status: string) => status === 'active' || status === 'non-subscribed';

function hideName(email: string): string {
  const atIndex = email.lastIndexOf('@');
  return atIndex < 1 ? '' : `${email.slice(0, 1)}•••${email.slice(atIndex)}`;
}

/**
 * Unsubscribes the reader from the account's marketing emails, or suppresses an address without a
 * subscriber.
 */
export async function unsubscribeReader(
  tx: Tx,
  payload: TokenPayload,
  reader: PageReader,
  request: { isOneClick: boolean; ip: string },
): Promise<void> {
  if (reader.addressKey !== undefined) {
    const suppression = {
      channel: 'email',
      reason: 'unsubscribed',
      messageId: payload.message,
    } as const;
    await suppress(tx, payload.account, [reader.addressKey], suppression);
    return;
  }
  await unsubscribe(
    tx,
    payload.account,
    { subscriberIds: [payload.subscriber] },
    {
      channel: 'email',
      reason: request.isOneClick ? 'one_click' : 'link',
      messageId: payload.message,
      ip: request.ip,
    },
  );
}

/**
 * Resubscribes a subscriber and records the displayed text of the consent. Returns false if it is
 * not permitted.
 */
export async function resubscribeReader(
  tx: Tx,
  payload: TokenPayload,
  request: { wording: string; ip: string },
): Promise<boolean> {
  await reactivate(
    tx,
    payload.account,
    { subscriberIds: [payload.subscriber] },
    {
      channel: 'email',
      ip: request.ip,
      consent: { source: 'unsubscribe_page', wording: request.wording },
    },
  );
  const [row] = await readSubscribers(tx, payload.account, [payload.subscriber]);
  return row?.email_status === 'active';
}
