// Source of a message: plain data, frozen when its sending starts, which every process compiles to
// the same bytes and link positions.

import type { Language } from '#platform/languages.ts';
import type { UtmValues } from '../../utm.ts';
import type { MessageCondition } from './conditions.ts';

/** Texts in the message's language, from `locales/<language>/content.server.json`. */
export type MessageTexts = {
  unsubscribe: string;
  /** Reason for receiving this email, above the unsubscribe link of the added footer. */
  reason: string;
};

/** `key` in the file store. */
export type AttachedFile = { key: string; name: string; type: string; bytes: number };

type Addressee = { name: string; email: string };

/**
 * `base64` without line breaks. `related` parts are referenced from the HTML by `content_id`;
 * `alternative` parts are other forms of the body and have no name.
 */
export type AttachedPart = {
  name: string;
  type: string;
  base64: string;
  place?: 'related' | 'alternative' | undefined;
  content_id?: string | undefined;
};

export type MessageSource = {
  /** Marketing emails always have an unsubscribe link, a postal address and list headers. */
  kind: 'marketing' | 'transactional';
  /** Automatic emails suppress out-of-office replies (RFC 3834). */
  is_automatic?: boolean | undefined;
  account_id: number;
  message_id: number;
  /** Name of the business. */
  company: string;
  /** Street of the business; a text that includes it needs no added postal address. */
  street: string;
  postal_address: string;
  subject: string;
  preheader: string;
  from: { name: string; email: string };
  reply_to: string;
  /** Null for a plain text email. */
  html: string | null;
  /** Null: derived from the HTML. */
  text: string | null;
  /** Conditions of marked spans in `html` and `text`, by index. */
  conditions?: MessageCondition[];
  language: Language;
  words: MessageTexts;
  /** Base URL of links, pixel and unsubscribe page, without a trailing slash. */
  public_url: string;
  /**
   * Mailbox of the mailto URL in List-Unsubscribe; '' if no mailbox is processed, so that only the
   * https URL is offered.
   */
  unsubscribe_mailbox: string;
  /** False leaves links untracked and adds no pixel (previews, system emails). */
  is_tracked: boolean;
  /**
   * False if the account disabled the tracking of opens (no pixel) or of clicks (direct links). The
   * unsubscribe link is not affected.
   */
  measures_opens?: boolean | undefined;
  measures_clicks?: boolean | undefined;
  /** UTM parameters added to links that have no utm_source. */
  utm?: UtmValues | undefined;
  /**
   * utm_campaign of messages frozen by earlier releases; source and medium are the built-in ones.
   */
  utm_campaign?: string | undefined;
  /** Note of the author above the content of a test email, as plain text. */
  note?: string | undefined;
  /** Additional header fields; fields that the message sets itself are not allowed. */
  headers?: { name: string; value: string }[] | undefined;
  /**
   * Files in the file store that are attached to every copy. The sending process reads them into
   * `attachments`.
   */
  files?: AttachedFile[] | undefined;
  attachments?: AttachedPart[] | undefined;
  /** Display name of `reply_to`. */
  reply_to_name?: string | undefined;
  /** An email submitted by SMTP: see `SUBMITTED` for the values that each copy has. */
  is_submitted?: boolean | undefined;
  /** Addresses in To and Cc that all recipients see, instead of each recipient's own address. */
  addressees?: { to: Addressee[]; cc: Addressee[] } | undefined;
};

export type FindingSeverity = 'error' | 'warning' | 'tip';
export type ContentPart = 'subject' | 'preheader' | 'html' | 'text' | 'sender';

/** A result of the content checks; its messages are under `checks.<code>`. */
export type ContentFinding = {
  code: string;
  severity: FindingSeverity;
  part: ContentPart;
  line?: number;
  column?: number;
  /** Id of the block or section of a document. */
  node?: string;
  values?: Record<string, string | number>;
};

/** Position and target of a link; merge tags in `url` are resolved at the click. */
export type MessageLink = {
  position: number;
  url: string;
  label: string;
  /** The URL as its author wrote it, if UTM parameters were added. */
  written_url?: string | undefined;
};

/** Content that cannot be sent; `findings` contain the errors and, if known, their positions. */
export class ContentError extends Error {
  readonly code = 'content_invalid';
  readonly findings: ContentFinding[];
  constructor(findings: ContentFinding[]) {
    super(`The content has errors: ${findings.map((finding) => finding.code).join(', ')}`);
    this.name = 'ContentError';
    this.findings = findings;
  }
}
