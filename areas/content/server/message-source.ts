// What a message is made from: plain data, frozen when a campaign starts, from which every
// process compiles the same bytes and the same link positions.

import type { Language } from '#platform/languages.ts';
import type { MessageCondition } from './conditions.ts';

/** Words of the message's own language, from `locales/<language>/content.server.json`. */
export type MessageWords = {
  unsubscribe: string;
  /** Why the recipient gets this mail; shown above the unsubscribe link that we add. */
  reason: string;
};

/** `key` of the file store. */
export type AttachedFile = { key: string; name: string; type: string; bytes: number };

type Addressee = { name: string; email: string };

/**
 * `base64` without line breaks. `related` parts are shown by the HTML that names their `content_id`;
 * `alternative` ones are another form of the words, and have no name.
 */
export type AttachedPart = {
  name: string;
  type: string;
  base64: string;
  place?: 'related' | 'alternative' | undefined;
  content_id?: string | undefined;
};

export type MessageSource = {
  /** Marketing mail always has an unsubscribe link, a postal address and list headers. */
  kind: 'marketing' | 'transactional';
  /** Nobody wrote it to anybody: out-of-office programs are told not to answer (RFC 3834). */
  is_automatic?: boolean | undefined;
  account_id: number;
  message_id: number;
  /** Name of the business, its street (to see whether the template has the address), all of it. */
  company: string;
  street: string;
  postal_address: string;
  subject: string;
  preheader: string;
  from: { name: string; email: string };
  reply_to: string;
  /** Null for a plain text mail. */
  html: string | null;
  /** Null: derived from the HTML. */
  text: string | null;
  /** Spans of `html` and `text` that only some see are marked with the index of their condition. */
  conditions?: MessageCondition[];
  language: Language;
  words: MessageWords;
  /** Where links, pixel and unsubscribe page live; no slash at its end. */
  public_url: string;
  /** Mailbox of the mailto form of List-Unsubscribe; '' where nobody reads one, and https stands alone. */
  unsubscribe_mailbox: string;
  /** False: links and opens stay untouched (previews; accounts that do not measure). */
  is_tracked: boolean;
  /** Switched off by the account: no pixel; links that lead where they say. Unsubscribing stays. */
  measures_opens?: boolean | undefined;
  measures_clicks?: boolean | undefined;
  /** Adds utm_source, utm_medium and this utm_campaign to links that have none. */
  utm_campaign?: string | undefined;
  /** Further header fields; none of those that the message writes itself. */
  headers?: { name: string; value: string }[] | undefined;
  /** Files of the store that every copy carries: the sender reads them into `attachments`. */
  files?: AttachedFile[] | undefined;
  attachments?: AttachedPart[] | undefined;
  /** The name of `reply_to`. */
  reply_to_name?: string | undefined;
  /** Shown to all recipients as written, in place of each one's own address. */
  addressees?: { to: Addressee[]; cc: Addressee[] } | undefined;
};

export type FindingSeverity = 'error' | 'warning' | 'tip';
export type ContentPart = 'subject' | 'preheader' | 'html' | 'text' | 'sender';

/** Something about the content that its author should know; words under `checks.<code>`. */
export type Finding = {
  code: string;
  severity: FindingSeverity;
  part: ContentPart;
  line?: number;
  column?: number;
  /** The block or section of a document that it is about. */
  node?: string;
  values?: Record<string, string | number>;
};

/** A position in the message and where it leads; merge tags in `url` are resolved at the click. */
export type Link = { position: number; url: string; label: string };

/** The content cannot be sent as it is; `findings` name every error with its place. */
export class ContentError extends Error {
  readonly code = 'content_invalid';
  readonly findings: Finding[];
  constructor(findings: Finding[]) {
    super(`The content has errors: ${findings.map((finding) => finding.code).join(', ')}`);
    this.name = 'ContentError';
    this.findings = findings;
  }
}
