// Leaving by a mail's own link, and coming back at once where it was a mistake.
import { readAccount } from '#areas/accounts/server/index.ts';
import {
  emailKeyOfDeleted,
  isSuppressed,
  reactivate,
  readSubscribers,
  suppress,
  unsubscribe,
} from '#areas/subscribers/server/index.ts';
import type { Language } from '#platform/languages.ts';
import { isLanguage } from '#platform/languages.ts';
import type { Tx } from '#platform/server/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { type MessageSender, messageSender } from './events.ts';
import type { TokenFacts } from './token.ts';

export type Reader = {
  language: Language;
  /** The account's name; the sender's, where it has none yet. */
  company: string;
  /** The address with its name hidden: a forwarded mail must not tell it. Empty once it is gone. */
  email: string;
  /**
   * `address`: only theirs is known, of somebody deleted or written to once; they may still leave.
   * `unknown`: nothing of them is kept any more. `test`: a user of the account reads a test mail.
   */
  is: 'known' | 'address' | 'unknown' | 'test';
  isSubscribed: boolean;
  /** Of who is nobody's row: what they leave with. */
  strangersKey?: string;
};

/** Who reads the page; undefined where the account is gone. */
export async function readReader(tx: Tx, facts: TokenFacts): Promise<Reader | undefined> {
  const account = await readAccount(tx, facts.account).catch((error: unknown) => {
    if (error instanceof AppError) return undefined;
    throw error;
  });
  if (!account) return undefined;
  const [sender] = await messageSender.ask(tx, {
    accountId: facts.account,
    messageId: facts.message,
    ...(facts.subscriber === 0 ? { singleId: facts.ordinal } : {}),
  });
  const own = isLanguage(account.language) ? account.language : 'eng';
  return {
    language: sender?.language ?? own,
    company: account.title.trim() || sender?.name || '',
    ...(await (facts.subscriber === 0 ? strangersStanding : standingOf)(tx, facts, sender)),
  };
}

type Standing = Omit<Reader, 'language' | 'company'>;

async function standingOf(tx: Tx, { account, subscriber }: TokenFacts): Promise<Standing> {
  const [person] = await readSubscribers(tx, account, [subscriber]);
  if (person) {
    const isSubscribed = isIn(person.email_status);
    return { is: 'known', email: hideName(person.email ?? ''), isSubscribed };
  }
  const key = await emailKeyOfDeleted(tx, account, subscriber);
  if (key === undefined) return { is: 'unknown', email: '', isSubscribed: false };
  const isSubscribed = key !== null && !(await isSuppressed(tx, account, 'email', key));
  return { is: 'address', email: hideName(key ?? ''), isSubscribed };
}

async function strangersStanding(
  tx: Tx,
  { account }: TokenFacts,
  sender: MessageSender | undefined,
): Promise<Standing> {
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

/** Takes the person out of the account's emails; the same again changes nothing. */
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

/** Takes the person in again, with their consent as it was worded. False where that may not be. */
export async function comeBack(
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
