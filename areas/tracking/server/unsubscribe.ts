// Unsubscribes the reader of an email by its unsubscribe page or by one click in the email client, and
// resubscribes a subscriber by that page.
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
import type { TokenFacts } from './token.ts';

export type Reader = {
  language: Language;
  /** The account's title or, if it has none, the sender's name. */
  company: string;
  /**
   * The address with a masked local part, since a forwarded email must not reveal it; empty for a test
   * email, and if the address is not stored.
   */
  email: string;
  /**
   * `known`: a subscriber. `address`: a deleted subscriber, or a single send without one, whose address can
   * still be suppressed. `unknown`: the address is no longer stored. `test`: a user of the account reads a test
   * email.
   */
  is: 'known' | 'address' | 'unknown' | 'test';
  isSubscribed: boolean;
  /** Normalized address of a single send without a subscriber. Unsubscribing suppresses it. */
  strangersKey?: string;
};

/** Reads the stored facts about the reader of the page; undefined for a deleted account. */
export async function readReader(tx: Tx, facts: TokenFacts): Promise<Reader | undefined> {
  const account = await readAccount(tx, facts.account).catch((error: unknown) => {
    if (error instanceof AppError) return undefined;
    throw error;
  });
  if (!account) return undefined;
  const [sender] = await messageSender.collect(tx, {
    accountId: facts.account,
    messageId: facts.message,
    ...(facts.subscriber === 0 ? { singleId: facts.ordinal } : {}),
  });
  const accountLanguage = isLanguage(account.language) ? account.language : 'eng';
  return {
    language: sender?.language ?? accountLanguage,
    company: account.title.trim() || sender?.name || '',
    ...(await (facts.subscriber === 0 ? strangerStatusOf : readerStatusOf)(tx, facts, sender)),
  };
}

type ReaderStatus = Omit<Reader, 'language' | 'company'>;

async function readerStatusOf(tx: Tx, { account, subscriber }: TokenFacts): Promise<ReaderStatus> {
  const [person] = await readSubscribers(tx, account, [subscriber]);
  if (person) {
    const isSubscribed = isIn(person.email_status);
    return { is: 'known', email: hideName(person.email ?? ''), isSubscribed };
  }
  const key = await findEmailKeyOfDeleted(tx, account, subscriber);
  if (key === undefined) return { is: 'unknown', email: '', isSubscribed: false };
  const isSubscribed = key !== null && !(await isSuppressed(tx, account, 'email', key));
  return { is: 'address', email: hideName(key ?? ''), isSubscribed };
}

async function strangerStatusOf(
  tx: Tx,
  { account }: TokenFacts,
  sender: MessageSender | undefined,
): Promise<ReaderStatus> {
  if (sender?.isTest) return { is: 'test', email: '', isSubscribed: false };
  const strangersKey = sender?.recipient?.toLowerCase();
  if (!strangersKey) return { is: 'unknown', email: '', isSubscribed: false };
  const isSubscribed = !(await isSuppressed(tx, account, 'email', strangersKey));
  return { is: 'address', email: hideName(strangersKey), isSubscribed, strangersKey };
}

const isIn = (status: string) => status === 'active' || status === 'non-subscribed';

function hideName(email: string): string {
  const at = email.lastIndexOf('@');
  return at < 1 ? '' : `${email.slice(0, 1)}•••${email.slice(at)}`;
}

/**
 * Unsubscribes the reader from the account's marketing emails, or suppresses an address without a
 * subscriber.
 */
export async function leave(
  tx: Tx,
  facts: TokenFacts,
  reader: Reader,
  act: { isOneClick: boolean; ip: string },
): Promise<void> {
  if (reader.strangersKey !== undefined) {
    const by = { channel: 'email', reason: 'unsubscribed', messageId: facts.message } as const;
    await suppress(tx, facts.account, [reader.strangersKey], by);
    return;
  }
  await unsubscribe(
    tx,
    facts.account,
    { subscriberIds: [facts.subscriber] },
    {
      channel: 'email',
      reason: act.isOneClick ? 'one_click' : 'link',
      messageId: facts.message,
      ip: act.ip,
    },
  );
}

/** Resubscribes a subscriber, with the displayed text of the consent. Returns false if it is not permitted. */
export async function resubscribe(
  tx: Tx,
  facts: TokenFacts,
  act: { wording: string; ip: string },
): Promise<boolean> {
  await reactivate(
    tx,
    facts.account,
    { subscriberIds: [facts.subscriber] },
    {
      channel: 'email',
      ip: act.ip,
      consent: { source: 'unsubscribe_page', wording: act.wording },
    },
  );
  const [person] = await readSubscribers(tx, facts.account, [facts.subscriber]);
  return person?.email_status === 'active';
}
