// What content knows of an email that is being written. Its owner (campaigns …) says who sends it and
// what stands around its words; the words, previews, checks and test emails are content's.
import type { Kind } from '#platform/ids.ts';
import type { Config } from '#platform/server/config.ts';
import type { Reader, Tx } from '#platform/server/database.ts';
import type { ComposingFinding } from '../../composing-contract.ts';
import type { ContentKind } from '../../limits.ts';
import type { ContentRef } from '../contents.ts';
import type { Values } from '../merge-tags.ts';
import type { MessageSource } from '../message-source.ts';

/** What the installation adds to each message. */
export type SendingOptions = {
  publicUrl: string;
  /** Understands mailed unsubscribes; where there is none, https alone is offered. */
  unsubscribeMailbox?: string | undefined;
  /** False with the built-in inbox, which takes any sender. */
  needsVerifiedSender: boolean;
};

export function sendingOptions(config: Config): SendingOptions {
  return {
    publicUrl: config.publicUrl,
    // Only where somebody listens for it.
    unsubscribeMailbox: config.returnPath && `unsubscribe@${config.bounceDomain}`,
    needsVerifiedSender: config.smtpUrl !== undefined,
  };
}

/** What stands around the words. */
export type Envelope = {
  /** Marketing demands an unsubscribe link and a postal address. */
  kind: MessageSource['kind'];
  subject: string;
  /** Before the document's own; '' where that one counts. */
  preheader: string;
  from: { name: string; email: string };
  reply_to: string;
  /** One of ours, else the account's. */
  language: string | null;
  utm_campaign?: string | null | undefined;
};

/** What merge tags may name beside the person, the account's fields and what every message has. */
export type Variable = {
  /** As a tag names it, for example `order.number`. */
  name: string;
  title: string;
};

export type Email = {
  accountId: number;
  /** The owner's own number. */
  id: number;
  /** Of what its owner keeps: a change names the one that it was made on. */
  revision: number;
  /** Undefined while nothing is written. */
  content: ContentRef | undefined;
  contentKind: ContentKind | null;
  envelope: Envelope;
  variables?: readonly Variable[] | undefined;
  /** Values of the variables for previews and test emails; a person's own stand over them. */
  sample?: Values | undefined;
};

/** Who has emails. `composingRoutes` makes the calls of the editors from it. */
export type EmailOwner = {
  /** The area's name. */
  area: string;
  /** Of its addresses, for example `/client-api/api/campaigns`. */
  base: `/${string}`;
  /** Of the ids in them. */
  kind: Kind;
  /** Codes that `lock` may throw, with their statuses. */
  lockErrors: Record<string, number>;
  /** @throws not_found, for another account's too */
  find(db: Reader, accountId: number, id: number): Promise<Email>;
  /** Held until the transaction ends. @throws not_found, or why it may not be changed */
  lock(tx: Tx, accountId: number, id: number): Promise<Email>;
  /** A new revision of its content was saved. */
  keep(tx: Tx, email: Email, saved: { content: ContentRef; kind: ContentKind }): Promise<void>;
  /** What it knows itself before sending (recipients …): everything that is to be shown. */
  inspect?(db: Reader, email: Email, found: ComposingFinding[]): Promise<ComposingFinding[]>;
  /** Delivery's door. */
  sendTest: SendTest;
};

export type TestEmail = {
  accountId: number;
  /** The owner's own number. */
  sourceId: number;
  source: Omit<MessageSource, 'message_id'>;
  /** Each gets a mail of its own. */
  recipients: readonly string[];
  values: Values;
  /** Whose values these are. */
  shownAs: number | undefined;
};
/** @throws test_unwanted where somebody wants no mails of the account */
export type SendTest = (tx: Tx, email: TestEmail) => Promise<void>;
