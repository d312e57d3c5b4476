// Creates messages: freezes their content and starts sending to an audience, or to one recipient as
// a single send. Also counts audiences before they are sent to.
import { createHash } from 'node:crypto';
import {
  type MessageLink,
  extractNewLinks,
  type MessageSource,
  type MergeValues,
} from '#areas/content/server/index.ts';
import { readMessageMeasuring, saveLinks } from '#areas/tracking/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import {
  type Db,
  inTransaction,
  type Reader,
  type Tx,
} from '#platform/server/database/database.ts';
import { shareFreshReads } from '#platform/server/database/batching.ts';
import { AppError } from '#platform/server/errors.ts';
import { seal, unseal } from '#platform/server/secrets.ts';
import type { Exclusion } from '../../shared.ts';
import { type MessageChannel, getMessageKindRules, type MessageKind } from '../../message-kinds.ts';
import { type FrozenSmsMessage, type SmsMessageSource, getSmsChannel } from '../channels/sms.ts';
import { isPermittedSender } from '../sender/sender-proof.ts';
import { insertSingle, type ReadySingle, type ReadySingles } from '../singles/add-singles.sql.ts';
import { readFieldNames, SHOWN_AS } from '../singles/singles.sql.ts';
import {
  type Audience,
  countByExclusion,
  countEmptyValues,
  type NamedValue,
} from './audience.sql.ts';
import { addAudienceJob } from './audience.ts';
import { findShared, insertMessage, notifySenders } from './messages.sql.ts';
import { reserveForAudience, reserveForSingle, pricesFor, type SmsCredit } from './sms-credit.ts';

/** Content frozen at the start of a message, so that every process compiles the same copies. */
export type Frozen = {
  source: Omit<MessageSource, 'message_id'>;
  /** The account's fields, by their names in merge tags. */
  fields: { id: number; name: string }[];
};

/** A message to create. Emails have `source`, SMS have `text`. */
export type NewMessage = {
  accountId: number;
  kind: MessageKind;
  sourceId: number | null;
} & (
  | { source: Omit<MessageSource, 'message_id'>; text?: never }
  | {
      text: SmsMessageSource;
      source?: never;
      /** Number of parts of the longest copy; credit for them is reserved per recipient. */
      maxParts?: number | undefined;
    }
);

export type NewSingle = NewMessage & {
  /** An email address; for SMS a number in E.164. */
  recipient: string;
  /** The recipient's subscriber, if any. Their status is checked, and links contain their ID. */
  subscriberId?: number | undefined;
  /** Values of merge tags; these override the subscriber's own values. */
  values: MergeValues;
  /** If the message already has a single send with this key, nothing is sent. */
  idempotencyKey: string;
  /** Whether the values are encrypted and deleted after the handoff. */
  isSecret?: boolean | undefined;
  /**
   * With secret values: the subscriber whose current values the view in the browser shows instead.
   */
  valuesSubscriberId?: number | undefined;
};

export type { Audience, NamedValue } from './audience.sql.ts';

/**
 * Starts a message to an audience: freezes its content and adds a job that writes its recipients in
 * slices. The first copies are sent while later slices are written.
 * @throws ContentError, `sender_not_verified`, `not_enough_credit`
 */
export async function startSending(
  tx: Tx,
  message: NewMessage,
  audience: Audience,
): Promise<{ messageId: number }> {
  const { accountId } = message;
  const frozen = await freezeContent(tx, message);
  const credit = findSmsCredit(frozen, message);
  if (credit && 'text' in frozen) frozen.credit = credit;
  const messageId = (await insertMessage(tx, {
    accountId,
    channel: getMessageKindRules(message.kind).channel,
    kind: message.kind,
    sourceId: message.sourceId,
    state: 'preparing',
    frozen,
    frozenHash: null,
    audience,
    opensAt: findOpening(audience),
    at: clock.now(),
  })) as number;
  await finishFreezing(tx, accountId, messageId, frozen);
  await addAudienceJob(tx, accountId, messageId);
  if (credit) await reserveForAudience(tx, { accountId, messageId, audience }, credit);
  return { messageId };
}

/**
 * Sends to one recipient. Single sends with the same content share one message. A repeated
 * idempotency key sends nothing and returns the first single send.
 * @throws ContentError, `sender_not_verified`, `not_enough_credit`
 */
export async function sendOne(
  tx: Tx,
  single: NewSingle,
): Promise<{ messageId: number; singleId: number; isNew: boolean }> {
  const { accountId, values, isSecret, valuesSubscriberId } = single;
  const { messageId, frozen } = await findOrCreateShared(tx, single);
  const { id, isNew } = await insertSingle(tx, {
    accountId,
    messageId,
    idempotencyKey: single.idempotencyKey,
    subscriberId: single.subscriberId ?? null,
    email: single.recipient,
    variables: isSecret
      ? { ...(valuesSubscriberId && { [SHOWN_AS]: valuesSubscriberId }) }
      : values,
    sealed: isSecret ? sealValues(values) : null,
    priority: getMessageKindRules(single.kind).priority,
    channel: getMessageKindRules(single.kind).channel,
    at: clock.now(),
  });
  if (isNew) await notifySenders(tx, accountId);
  if (isNew) await reserveIfPaid(tx, single, messageId, frozen);
  return { messageId, singleId: id, isNew };
}

/**
 * Reserves credit for a single SMS that costs credit. Automatic responses need none, because an
 * opt-out must be confirmed even without credit.
 */
async function reserveIfPaid(
  tx: Tx,
  { accountId, kind, recipient, subscriberId = 0, values, idempotencyKey: key }: NewSingle,
  messageId: number,
  frozen: Frozen | FrozenSmsMessage,
): Promise<void> {
  const credit = findSmsCredit(frozen);
  if (!credit || !('text' in frozen) || kind === 'sms_reply') return;
  const { parts } = getSmsChannel()
    .compile(frozen.text)
    .write({
      ...{ accountId, messageId, subscriberId, ordinal: 0, singleId: 0, to: recipient, email: '' },
      ...{ values, zone: null, country: null, now: clock.now() },
      isMarketing: getMessageKindRules(kind).permission === 'marketing',
    });
  const single = { accountId, messageId, key, phone: recipient, parts };
  await reserveForSingle(tx, single, credit);
}

/** Returns when the first wave opens. */
export function findOpening({ waves }: Audience): Date | undefined {
  const firstWave = waves?.waves[0];
  return firstWave && new Date(firstWave.opens);
}

/**
 * Returns the prices of an SMS that costs credit and the number of parts per copy to reserve credit
 * for.
 */
export function findSmsCredit(
  frozen: Frozen | FrozenSmsMessage,
  message?: NewMessage,
): SmsCredit | undefined {
  if (!('text' in frozen) || !frozen.credit) return undefined;
  const maxParts = message?.text ? (message.maxParts ?? 0) : 0;
  return { ...frozen.credit, most: maxParts };
}

/**
 * Finds or creates the shared message with this content, in its own transaction.
 */
export async function findOrCreateMessage(
  db: Db,
  message: NewMessage & { source: Omit<MessageSource, 'message_id'> },
): Promise<{ messageId: number; fields: Frozen['fields'] }> {
  const { accountId, kind, source } = message;
  const request = { db, accountId, kind, from: source.from.email, publicUrl: source.public_url };
  const frozen = withFacts(source, await concurrentFacts(request));
  const hash = hashOf(message, frozen);
  const existingId = await findShared(db, accountId, kind, hash);
  if (existingId !== undefined) return { messageId: existingId, fields: frozen.fields };
  // Compiled before the transaction, because work in a thread would make the transaction roll back
  // and run again.
  const links = await linksOf(frozen);
  const messageId = await inTransaction(db, (tx) =>
    insertShared(tx, message, { frozen, hash, links }),
  );
  return { messageId, fields: frozen.fields };
}

/** Converts single sends of existing messages to the input of `addReady`. */
export function toReadySingles(
  accountId: number,
  kind: MessageKind,
  singles: readonly (ReadySingle & { id: number; claim: string | null })[],
): ReadySingles {
  return {
    accountId,
    ids: singles.map((single) => single.id),
    messageIds: singles.map((single) => single.messageId),
    singleKeys: singles.map((single) => single.key),
    recipients: singles.map((single) => single.recipient),
    emailKeys: singles.map((single) => single.emailKey),
    variables: singles.map((single) => JSON.stringify(single.values)),
    claims: singles.map((single) => single.claim),
    priority: getMessageKindRules(kind).priority,
    channel: getMessageKindRules(kind).channel,
    at: clock.now(),
  };
}

const SEALED = 'values of single sends';
const sealValues = (values: MergeValues) => seal(SEALED, JSON.stringify(values));
export const unsealValues = (sealedValues: Buffer) =>
  JSON.parse(unseal(SEALED, sealedValues)) as MergeValues;

/** Finds or creates the shared message with this content and these values of `separateBy`. */
export async function findOrCreateShared(
  tx: Tx,
  message: NewMessage,
  separateBy: readonly unknown[] = [],
): Promise<{ messageId: number; frozen: Frozen | FrozenSmsMessage }> {
  const { accountId, kind } = message;
  const frozen = await freezeContent(tx, message);
  const hash = hashOf(message, frozen, separateBy);
  const existingId = await findShared(tx, accountId, kind, hash);
  if (existingId !== undefined) return { messageId: existingId, frozen };
  const links = await linksOf(frozen);
  return { messageId: await insertShared(tx, message, { frozen, hash, links }), frozen };
}

async function insertShared(
  tx: Tx,
  { accountId, kind, sourceId }: NewMessage,
  {
    frozen,
    hash,
    links,
  }: { frozen: Frozen | FrozenSmsMessage; hash: Buffer; links: readonly MessageLink[] },
): Promise<number> {
  const insertedId = await insertMessage(tx, {
    ...{ accountId, kind, sourceId, frozen },
    channel: getMessageKindRules(kind).channel,
    state: 'sending',
    frozenHash: hash,
    audience: {},
    at: clock.now(),
  });
  // A concurrent transaction may have inserted it.
  const messageId = insertedId ?? (await findShared(tx, accountId, kind, hash));
  if (messageId === undefined) throw new Error('The shared message was deleted after its insert');
  if (insertedId !== undefined) await saveLinks(tx, accountId, messageId, links);
  return messageId;
}

const hashOf = (message: NewMessage, frozen: unknown, separateBy: readonly unknown[] = []) =>
  createHash('sha256')
    .update(JSON.stringify([message.sourceId, frozen, ...separateBy]))
    .digest();

export async function freezeContent(
  tx: Reader,
  message: NewMessage,
): Promise<Frozen | FrozenSmsMessage> {
  const { accountId, kind, source } = message;
  const { channel } = getMessageKindRules(kind);
  if (channel !== (source ? 'email' : 'sms'))
    throw new Error(`The message kind ${kind} belongs to ${channel}`);
  if (!source) return freezeSms(tx, message, message.text);
  const { from, public_url: publicUrl } = source;
  const request = { db: tx, accountId, kind, from: from.email, publicUrl };
  return withFacts(source, await readFacts(request));
}

type SenderRequest = {
  db: Reader;
  accountId: number;
  kind: MessageKind;
  /** Address of the sender. */
  from: string;
  publicUrl: string;
};
/** Facts about the account and its tracking that are frozen with each message. */
type FrozenSenderData = {
  measuring: Partial<Awaited<ReturnType<typeof readMessageMeasuring>>>;
  fields: Frozen['fields'];
};

async function readFacts(request: SenderRequest): Promise<FrozenSenderData> {
  const { db, accountId, kind, from, publicUrl } = request;
  if (!(await isPermittedSender(db, accountId, kind, from))) {
    throw new AppError('sender_not_verified');
  }
  const measuring = getMessageKindRules(kind).isOwn
    ? {}
    : await readMessageMeasuring(db, accountId, { from, publicUrl });
  return { measuring, fields: await readFieldNames(db, accountId) };
}

/** Shares one read among concurrent requests with identical arguments. */
const concurrentFacts = shareFreshReads(
  readFacts,
  ({ accountId, kind, from, publicUrl }: SenderRequest) =>
    JSON.stringify([accountId, kind, from, publicUrl]),
);

const withFacts = (
  source: Omit<MessageSource, 'message_id'>,
  { measuring, fields }: FrozenSenderData,
): Frozen => ({ source: { ...source, ...measuring }, fields });

/** Freezes an SMS and its prices. SMS that the product itself sends are free. */
async function freezeSms(
  tx: Reader,
  { accountId, kind }: NewMessage,
  text: SmsMessageSource,
): Promise<FrozenSmsMessage> {
  const prices = getMessageKindRules(kind).isOwn ? undefined : await pricesFor(tx, accountId);
  const fields = await readFieldNames(tx, accountId);
  return { text, fields, ...(prices && { credit: { prices, most: 0 } }) };
}

/** Compiles the content, which checks that it can be sent, and saves its links. */
export async function finishFreezing(
  tx: Tx,
  accountId: number,
  messageId: number,
  frozen: Frozen | FrozenSmsMessage,
): Promise<void> {
  await saveLinks(tx, accountId, messageId, await linksOf(frozen));
}

/** Compiles the content with the message ID 0 because the links do not depend on the message ID. */
const linksOf = async (frozen: Frozen | FrozenSmsMessage): Promise<readonly MessageLink[]> =>
  'text' in frozen
    ? getSmsChannel().compile(frozen.text).links
    : extractNewLinks({ ...frozen.source, message_id: 0 });

/** Counts recipients, all selected subscribers (`total`), and excluded ones by reason. */
export async function countAudience(
  db: Reader,
  accountId: number,
  audience: Audience,
  channel: MessageChannel = 'email',
): Promise<{ count: number; total: number; excluded: Partial<Record<Exclusion, number>> }> {
  const rows = await countByExclusion(db, accountId, channel, audience, clock.now());
  const excludedCounts: Partial<Record<Exclusion, number>> = {};
  let count = 0;
  let total = 0;
  for (const row of rows) {
    total += row.count;
    if (row.reason) excludedCounts[row.reason] = row.count;
    else count = row.count;
  }
  return { count, total, excluded: excludedCounts };
}

/** Counts, for each value, the recipients who lack it. */
export async function countWithout(
  db: Reader,
  accountId: number,
  audience: Audience,
  values: readonly NamedValue[],
  channel: MessageChannel = 'email',
): Promise<Map<string, number>> {
  if (values.length === 0) return new Map();
  const counts = await countEmptyValues(db, accountId, channel, audience, values, clock.now());
  return new Map(values.map(({ name }, index) => [name, counts[index] ?? 0]));
}
