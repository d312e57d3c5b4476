// Texts: what is written into one (its prefix, its links, its opt-out line), when it may leave and what it comes from
// is the area of texts' own; it says so once, by `setTextChannel`.
import type { Link, Values } from '#areas/content/server/index.ts';
import { installationTokens } from '#areas/tracking/server/index.ts';
import type { Reader } from '#platform/server/database.ts';
import type { MessageRow } from '../ledger/messages.sql.ts';
import type { TextCredit } from '../ledger/text-credit.ts';
import type { TextEncoding, TextHandOver } from '../relays/text-provider.ts';
import { ActiveMessage, type ActiveRow, type BegunCopy } from '../sender/active-message.ts';
import { type Hold, Sending } from '../sender/sending.ts';
import { compiling } from './compiling.ts';

/** What is frozen of a text: JSON that `compile` understands, forever. */
export type TextSource = {
  /** The number (E.164) or the name that it comes from. */
  from: string;
  /** What histories show of it: its text as it was written. */
  title?: string;
  readonly [key: string]: unknown;
};

/** One person's copy, to be written. */
export type TextCopy = {
  accountId: number;
  messageId: number;
  /** 0 where it is nobody's row. */
  subscriberId: number;
  /** Its place in the ledger, or the single's id: with the others it makes links of its own. */
  ordinal: number;
  /** A single send's id: its links say that, not who it is for; 0 of a message with an audience. */
  single: number;
  /** E.164. */
  to: string;
  email: string;
  values: Values;
  /** Where the person is known to be: IANA zone and ISO country; null where nobody knows. */
  zone: string | null;
  country: string | null;
  /** The instant of the step: hours are asked by it. */
  now: Date;
  isMarketing: boolean;
};

/** `hold`: it stays in the ledger until then. `skip`: it is not sent at all, a SKIPS word. */
export type WrittenText = {
  text: string;
  encoding: TextEncoding;
  parts: number;
  expiresAt?: Date;
  hold?: Hold;
  skip?: 'phone_not_active' | 'no_credit';
};

/** A text compiled once for all its copies. */
export type CompiledText = {
  /** The values that it names: fields of people are read for these alone. */
  names: readonly string[];
  /** Links by their position, as reports count them. */
  links: readonly Link[];
  /** Called for each copy in a hot loop: no query, no throwing. */
  write(copy: TextCopy): WrittenText;
};

/** What the area of texts gives delivery, once per process, before anything is sent. */
export type TextChannel = {
  /** @throws where it can no longer be made: its message is paused (`content_unsendable`). */
  compile(source: TextSource): CompiledText;
  /** Whether SMS of the account may come from it now. */
  mayComeFrom(db: Reader, accountId: number, from: string): Promise<boolean>;
  /** Where a provider tells what became of a copy; `reference` is its signed token. */
  callbackUrl(reference: string): string;
};

let channel: TextChannel | undefined;

/** Until this was called, what is to be sent as a text fails its transaction. */
export function setTextChannel(given: TextChannel): void {
  channel = given;
}

export function textChannel(): TextChannel {
  if (!channel) throw new Error('No area of texts is there');
  return channel;
}

export type FrozenText = {
  text: TextSource;
  fields: { id: number; name: string }[];
  /** Where texts are paid for. */
  credit?: TextCredit;
};

class TextMessage extends ActiveMessage {
  readonly compiled: CompiledText;
  override readonly credit: TextCredit | undefined;

  constructor(row: ActiveRow, { text, fields, credit }: FrozenText) {
    const compiled = textChannel().compile(text);
    super(row, text.from, compiled.names, fields);
    this.compiled = compiled;
    this.credit = credit;
  }

  override make(copies: readonly BegunCopy[], now: Date): Sending[] {
    const facts = copies.map(({ facts: { subscriberId: subscriber }, ordinal }) => ({
      ...{ account: this.accountId, message: this.id },
      ...{ subscriber, ordinal },
    }));
    const [references] = installationTokens().makeMany(facts, ['messageId']);
    return copies.map((copy, i) => new TextSending(this, copy, references?.[i] as string, now));
  }
}

const NOWHERE = { zone: null, country: null };
const NOT_WRITTEN: WrittenText = { text: '', encoding: 'gsm7', parts: 0 };

class TextSending extends Sending implements TextHandOver {
  readonly accountId: number;
  readonly text: string;
  readonly encoding: TextEncoding;
  readonly parts: number;
  readonly reference: string;
  readonly callbackUrl: string;
  readonly expiresAt: Date | undefined;
  override readonly skip: string;
  override readonly hold: Hold | undefined;

  constructor(message: TextMessage, begun: BegunCopy, reference: string, now: Date) {
    super(message, begun, message.from, now);
    const written = begun.facts.skip === '' ? paidFor(message, begun, now) : NOT_WRITTEN;
    this.accountId = message.accountId;
    this.text = written.text;
    this.encoding = written.encoding;
    this.parts = written.parts;
    this.reference = reference;
    this.callbackUrl = textChannel().callbackUrl(reference);
    this.expiresAt = written.expiresAt;
    this.skip = begun.facts.skip || (written.skip ?? '');
    this.hold = this.skip === '' ? written.hold : undefined;
  }

  get pace(): string {
    return this.from;
  }

  get cost(): number {
    return this.parts;
  }
}

/** A longer copy than any that was looked at before is not paid for. */
function paidFor(message: TextMessage, begun: BegunCopy, now: Date): WrittenText {
  const written = writeFor(message, begun, now);
  const most = message.credit?.most ?? 0;
  return most > 0 && written.parts > most ? { ...written, skip: 'no_credit' } : written;
}

function writeFor(message: TextMessage, begun: BegunCopy, now: Date): WrittenText {
  const { to, email, values, ordinal, place } = begun;
  const { accountId, id: messageId, isMarketing } = message;
  const { subscriberId } = begun.facts;
  const { zone, country } = begun.whereabouts ?? NOWHERE;
  const copy = {
    accountId,
    messageId,
    subscriberId,
    ordinal,
    single: place.in === 'singles' ? place.id : 0,
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

export async function loadText(
  db: Reader,
  row: MessageRow,
): Promise<ActiveMessage | 'sender_not_verified'> {
  const { from } = (row.frozen as unknown as FrozenText).text;
  if (!(await textChannel().mayComeFrom(db, row.account_id, from))) return 'sender_not_verified';
  return compiling(() => new TextMessage(row, row.frozen as unknown as FrozenText));
}
