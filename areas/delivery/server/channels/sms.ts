// The SMS channel. The area `sms`, which decides about the content of an SMS (prefix, links,
// opt-out line), its sending hours and its sender, registers its functions with `setSmsChannel`.
import type { MessageLink, MergeValues } from '#areas/content/server/index.ts';
import { getInstallationTokens } from '#areas/tracking/server/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { getMessageKindRules } from '../../message-kinds.ts';
import type { LedgerMessageRow } from '../ledger/messages.sql.ts';
import type { SmsCredit } from '../ledger/sms-credit.ts';
import type { TextEncoding, SmsHandoff } from '../relays/sms-provider.ts';
import { ActiveMessage, type ActiveRow, type StartedCopy } from '../sender/active-message.ts';
import { type SendDelay, LedgerHandoff } from '../sender/sending.ts';
import { compiling } from './compiling.ts';

/** Frozen content of an SMS: JSON that every later version of `compile` must understand. */
export type SmsMessageSource = {
  /** The sender: a number (E.164) or a name. */
  from: string;
  /** Shown in histories: the SMS as its author wrote it. */
  title?: string;
  readonly [key: string]: unknown;
};

/** Input of one recipient's copy. */
export type SmsCopy = {
  accountId: number;
  messageId: number;
  /** 0 if the number belongs to no subscriber. */
  subscriberId: number;
  /**
   * Ordinal in the ledger, or the ID of the single send. Together with account, message and
   * subscriber it identifies the copy in its links.
   */
  ordinal: number;
  /**
   * ID of the single send, which its links contain instead of the subscriber; 0 for a copy of a
   * message with an audience.
   */
  singleId: number;
  /** E.164. */
  to: string;
  email: string;
  values: MergeValues;
  /** Last known location of the subscriber: IANA zone and ISO country; null if unknown. */
  zone: string | null;
  country: string | null;
  /** The instant that sending hours are checked for. */
  now: Date;
  isMarketing: boolean;
};

/**
 * `delay`: the copy waits in the ledger until this instant. `skipReason`: the copy is not sent, for
 * this reason (one of SKIPS).
 */
export type WrittenSms = {
  text: string;
  encoding: TextEncoding;
  parts: number;
  expiresAt?: Date;
  delay?: SendDelay;
  skipReason?: 'phone_not_active' | 'no_credit';
};

/** An SMS compiled once for all its copies. */
export type CompiledSmsMessage = {
  /** Names of the merge tags in use; only these values of subscribers are read. */
  names: readonly string[];
  /** Links in the order of their positions; reports count clicks by position. */
  links: readonly MessageLink[];
  /** Writes one copy. Runs in a hot loop: it must neither query the database nor throw. */
  write(copy: SmsCopy): WrittenSms;
};

/**
 * Functions that the area `sms` provides to delivery, registered once per process before the first
 * SMS is sent.
 */
export type SmsChannel = {
  /**
   * @throws if the content can no longer be compiled; the message is then paused
   * (`content_unsendable`)
   */
  compile(source: SmsMessageSource): CompiledSmsMessage;
  /** Returns whether the account may send SMS from this sender now. */
  maySendFrom(db: Reader, accountId: number, from: string): Promise<boolean>;
  /** Returns the URL for delivery receipts of a copy; `reference` is the copy's signed token. */
  callbackUrl(reference: string): string;
};

let channel: SmsChannel | undefined;

/** Registers the SMS channel. Until then, `getSmsChannel` throws. */
export function setSmsChannel(next: SmsChannel): void {
  channel = next;
}

export function getSmsChannel(): SmsChannel {
  if (!channel) throw new Error('No SMS channel is registered');
  return channel;
}

export type FrozenSmsMessage = {
  text: SmsMessageSource;
  fields: { id: number; name: string }[];
  /** Set if the SMS costs credit. */
  credit?: SmsCredit;
};

class SmsMessage extends ActiveMessage {
  readonly compiled: CompiledSmsMessage;
  override readonly credit: SmsCredit | undefined;

  constructor(row: ActiveRow, { text, fields, credit }: FrozenSmsMessage) {
    const compiledSms = getSmsChannel().compile(text);
    super(row, text.from, compiledSms.names, fields);
    this.compiled = compiledSms;
    this.credit = credit;
  }

  override createHandoffs(copies: readonly StartedCopy[], now: Date): LedgerHandoff[] {
    const payloads = copies.map(({ recipientState: { subscriberId: subscriber }, ordinal }) => ({
      ...{ account: this.accountId, message: this.id },
      ...{ subscriber, ordinal },
    }));
    const [references] = getInstallationTokens().makeMany(payloads, ['messageId']);
    return copies.map((copy, i) => new SmsSending(this, copy, references?.[i] as string, now));
  }
}

const NOWHERE = { zone: null, country: null };
const NOT_WRITTEN: WrittenSms = { text: '', encoding: 'gsm7', parts: 0 };

class SmsSending extends LedgerHandoff implements SmsHandoff {
  readonly accountId: number;
  readonly text: string;
  readonly encoding: TextEncoding;
  readonly parts: number;
  readonly reference: string;
  readonly callbackUrl: string;
  readonly expiresAt: Date | undefined;
  override readonly skipReason: string;
  override readonly delay: SendDelay | undefined;

  constructor(message: SmsMessage, startedCopy: StartedCopy, reference: string, now: Date) {
    super(message, startedCopy, message.from, now);
    const copy =
      startedCopy.recipientState.skipReason === ''
        ? paidFor(message, startedCopy, now)
        : NOT_WRITTEN;
    this.accountId = message.accountId;
    this.text = copy.text;
    this.encoding = copy.encoding;
    this.parts = copy.parts;
    this.reference = reference;
    this.callbackUrl = getSmsChannel().callbackUrl(reference);
    this.expiresAt = copy.expiresAt;
    this.skipReason = startedCopy.recipientState.skipReason || (copy.skipReason ?? '');
    this.delay = this.skipReason === '' ? copy.delay : undefined;
  }

  get pace(): string {
    return this.from;
  }

  get cost(): number {
    return this.parts;
  }
}

/** Writes a copy and skips it if it has more parts than credit is reserved for. */
function paidFor(message: SmsMessage, startedCopy: StartedCopy, now: Date): WrittenSms {
  const copy = writeFor(message, startedCopy, now);
  const maxParts = message.credit?.most ?? 0;
  return maxParts > 0 && copy.parts > maxParts ? { ...copy, skipReason: 'no_credit' } : copy;
}

function writeFor(message: SmsMessage, startedCopy: StartedCopy, now: Date): WrittenSms {
  const { to, email, values, ordinal, row } = startedCopy;
  const { accountId, id: messageId, isMarketing } = message;
  const { subscriberId } = startedCopy.recipientState;
  const { zone, country } = startedCopy.location ?? NOWHERE;
  const copy = {
    accountId,
    messageId,
    subscriberId,
    ordinal,
    singleId: row.kind === 'singles' ? row.id : 0,
    to,
    email,
    values,
    zone,
    country,
    now,
    isMarketing,
  };
  return message.compiled.write(copy);
}

export async function loadSms(
  db: Reader,
  row: LedgerMessageRow,
): Promise<ActiveMessage | 'sender_not_verified'> {
  const { from } = (row.frozen as FrozenSmsMessage).text;
  const isOwn = getMessageKindRules(row.kind).isOwn;
  if (!isOwn && !(await getSmsChannel().maySendFrom(db, row.account_id, from)))
    return 'sender_not_verified';
  return compiling(() => new SmsMessage(row, row.frozen as FrozenSmsMessage));
}
