// An email being composed. The area that owns it (campaigns …) supplies the envelope; this area
// handles the content, previews, checks and test emails.
import type { Kind } from '#platform/ids.ts';
import type { Right } from '#platform/rights.ts';
import type { Config } from '#platform/server/config.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { ComposingFinding } from '../../composing-contract.ts';
import type { ContentKind } from '../../shared.ts';
import type { ContentRef } from '../contents.ts';
import type { MergeValues } from '../personalization/merge-tags.ts';
import type { MessageSource } from '../personalization/message-source.ts';
import type { UtmChoice } from '../utm/utm.ts';

/** Settings of the installation that apply to every message. */
export type SendingOptions = {
  publicUrl: string;
  /** Mailbox that processes unsubscribe emails; if unset, only an https link is offered. */
  unsubscribeMailbox?: string | undefined;
  /** False with the built-in inbox, which accepts any sender. */
  needsVerifiedSender: boolean;
};

export function readSendingOptions(config: Config): SendingOptions {
  return {
    publicUrl: config.publicUrl,
    // Only offered if the return path is configured.
    unsubscribeMailbox: config.returnPath && `unsubscribe@${config.bounceDomain}`,
    needsVerifiedSender: config.smtpUrl !== undefined,
  };
}

/** Sender, subject and other settings around the content. */
export type Envelope = {
  /** Marketing requires an unsubscribe link and a postal address. */
  kind: MessageSource['kind'];
  subject: string;
  /** Takes precedence over the preheader of the document; '' uses the document's. */
  preheader: string;
  from: { name: string; email: string };
  reply_to: string;
  /** Null or an unsupported language selects the account's language. */
  language: string | null;
  /** UTM parameters of links; if unset, none are added. */
  utm?: UtmChoice | undefined;
};

/** A merge tag available in addition to subscriber columns, account fields and system tags. */
export type Variable = {
  /** Name as in a merge tag, for example `order.number`. */
  name: string;
  title: string;
  /** Whether the value is a list, whose items fill the rows of a table. */
  isList?: boolean;
  /** Whether it always has a value, so that its tag needs no fallback. */
  isRequired?: boolean;
};

export type Email = {
  accountId: number;
  /** Id of the object that the email belongs to, such as a campaign. */
  id: number;
  /** Revision of that object, which each change increases. */
  revision: number;
  /** Undefined if the email has no content. */
  content: ContentRef | undefined;
  contentKind: ContentKind | null;
  envelope: Envelope;
  /**
   * The right required to change this email if a change goes out without further approval, as in an
   * active workflow; set by `lock`.
   */
  rightToChange?: Right | undefined;
  variables?: readonly Variable[] | undefined;
  /** Sample values for previews and test emails; values of the subscriber take precedence. */
  sample?: MergeValues | undefined;
  /**
   * For emails with variables supplied by each call: returns samples of the variables that the
   * content uses, and the source with its loops filled by them. @throws ContentError for a loop
   * that cannot be read
   */
  prepare?: ((source: EmailSource) => Promise<PreparedSource>) | undefined;
};

/** Source without `message_id`, which is assigned with the message. */
export type EmailSource = Omit<MessageSource, 'message_id'>;

export type PreparedSource = {
  source: EmailSource;
  sample: MergeValues;
  /** Names of variables that every call must supply, so they need no fallback. */
  required: readonly string[];
};

/** An area that has emails. `composingRoutes` creates the calls of the editors from it. */
export type EmailAdapter = {
  /** Name of the area. */
  area: string;
  /** Base path, for example `/client-api/api/campaigns`. */
  basePath: `/${string}`;
  /** Kind of the ids in the path. */
  kind: Kind;
  /** Codes that `lock` may throw, mapped to their statuses. */
  lockErrors: Record<string, number>;
  /** @throws not_found if it is unknown or belongs to another account */
  find(db: Reader, accountId: number, id: number): Promise<Email>;
  /** Locks until the transaction ends. @throws not_found, or the reason that prevents changes */
  lock(tx: Tx, accountId: number, id: number): Promise<Email>;
  /** Records a new revision of the content. */
  saveContent(
    tx: Tx,
    email: Email,
    savedContent: { content: ContentRef; kind: ContentKind },
  ): Promise<void>;
  /**
   * Adds the findings of the area that owns the email, such as findings about recipients. Returns
   * all findings to show.
   */
  addFindings?(db: Reader, email: Email, findings: ComposingFinding[]): Promise<ComposingFinding[]>;
  /** Implemented by delivery. */
  sendTest: SendTestEmail;
};

export type TestEmail = {
  accountId: number;
  /** Id of the object that the email belongs to, such as a campaign. */
  sourceId: number;
  source: Omit<MessageSource, 'message_id'>;
  /** Each recipient gets a separate email. */
  recipients: readonly string[];
  values: MergeValues;
  /** Subscriber that provides values in addition to `values`; undefined for none. */
  valuesSubscriberId: number | undefined;
};
/** @throws test_unwanted if a recipient does not accept emails of the account */
export type SendTestEmail = (tx: Tx, email: TestEmail) => Promise<void>;
