// A message as a sender holds it: compiled once, with what each hand-over of it needs.
import { createPrivateKey } from 'node:crypto';
import {
  type CompiledMessage,
  compileMessage,
  createSigner,
  type DkimSigner,
  momentOf,
  readsMemberships,
  type Recipient,
  type RenderMoment,
  render,
} from '#areas/content/server/index.ts';
import { provenHosts, signingKeys } from '#areas/domains/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Db, Reader } from '#platform/server/database.ts';
import { log } from '#platform/server/log.ts';
import { PERSON_TAGS } from '../../../content/limits.ts';
import { factsOf, type KindFacts, type MessageKind } from '../../message-kinds.ts';
import type { Frozen } from '../ledger/messages.ts';
import { findMessage } from '../ledger/messages.sql.ts';
import { keyOf, type MessageRef } from './round-robin.ts';
import { mayComeFrom } from './sender-proof.ts';
import { deliverySettings } from '../settings.ts';

/**
 * The keys and the host of its sending domain may change while it is on its way. Where it is verified no more,
 * that is told at once, and this is for what went unheard.
 */
const FRESH_MS = 3 * 60_000;

/** What one recipient's copy is written from. */
export type Copy = {
  readonly recipient: Recipient;
  readonly moment: RenderMoment;
  readonly texts: readonly string[];
};

export class ActiveMessage {
  readonly accountId: number;
  readonly id: number;
  readonly kind: MessageKind;
  readonly facts: KindFacts;
  readonly sourceId: number | null;
  readonly isMarketing: boolean;
  readonly from: string;
  readonly fields: { id: number; name: string }[];
  /** Some merge tag names a custom field: the column is read only then. */
  readonly withFields: boolean;
  /** Some section is shown only to a group or segment. */
  readonly hasMemberships: boolean;
  readonly compiled: CompiledMessage;
  readonly signer: DkimSigner | undefined;
  /** The sending domain's own host of the return path; undefined: the installation's. */
  readonly returnHost: string | undefined;
  /** Which it is, whenever it was loaded. */
  readonly ref: MessageRef;
  readonly key: string;
  /** A hand-over of it has begun, here or elsewhere. */
  hasStarted: boolean;
  private moment: RenderMoment;

  constructor(
    row: { account_id: number; id: number; kind: MessageKind; source_id: number | null },
    frozen: Frozen,
    signer: DkimSigner | undefined,
    hasStarted: boolean,
    returnHost?: string,
  ) {
    const { source, fields } = frozen;
    this.accountId = row.account_id;
    this.id = row.id;
    this.ref = { accountId: row.account_id, messageId: row.id };
    this.key = keyOf(this.ref);
    this.kind = row.kind;
    this.facts = factsOf(row.kind);
    this.sourceId = row.source_id;
    this.isMarketing = this.facts.permission === 'marketing';
    this.from = source.from.email;
    this.compiled = compileMessage({ ...source, message_id: row.id });
    const own = this.compiled.names.filter(
      (name) => !(PERSON_TAGS as readonly string[]).includes(name),
    );
    this.fields = fields.filter((field) => own.includes(field.name));
    this.withFields = this.fields.length > 0;
    this.hasMemberships = readsMemberships(this.compiled);
    this.signer = signer;
    this.returnHost = returnHost;
    this.hasStarted = hasStarted;
    this.moment = momentOf(clock.now(), this.compiled.locale);
  }

  /** The instant of a step: the Date field, and what date filters mean by now. */
  renew(now: Date): RenderMoment {
    this.moment = momentOf(now, this.compiled.locale);
    return this.moment;
  }

  /** `signature`: made ahead, '' for none; without it the message is signed here and now, if it is to be. */
  write(copy: Copy, into: Buffer, offset: number, signature?: string): number {
    if (!this.signer || signature === '') return this.render(copy, into, offset);
    const end = this.render(copy, into, offset + this.signer.length);
    if (end === -1) return end;
    if (signature === undefined) this.signer.sign(into, offset, end, copy.moment.now);
    else into.write(signature, offset, 'latin1');
    return end;
  }

  /** The signature of what `write` will write; undefined where it is not signed. */
  signAhead(copy: Copy, scratch: Buffer): Promise<string> | undefined {
    const end = this.signer ? this.render(copy, scratch, 0) : -1;
    return end === -1 ? undefined : this.signer?.signAhead(scratch, 0, end, copy.moment.now);
  }

  private render({ recipient, moment, texts }: Copy, into: Buffer, offset: number): number {
    return render(this.compiled, recipient, moment, into, offset, texts);
  }
}

/**
 * Why a message cannot be sent: it is gone, what was frozen no longer compiles, or its sender's domain was
 * removed or lost its proof since.
 */
export type Unsendable = 'message_gone' | 'content_unsendable' | 'sender_not_verified';

type Kept = { accountId: number; loading: Promise<ActiveMessage | Unsendable>; at: Date };

/** The messages that a process sends just now, compiled; the longest unused and not in use go first. */
export class ActiveMessages {
  private readonly kept = new Map<string, Kept>();
  private readonly db: Db;
  private readonly most: number;
  private readonly isInUse: (key: string) => boolean;

  /** Up to `most` are kept, and those besides that are in use by their `keyOf`. */
  constructor(db: Db, most: number, isInUse: (key: string) => boolean) {
    this.db = db;
    this.most = most;
    this.isInUse = isInUse;
  }

  /** `db`: the transaction of whoever holds one, so that it does not ask for a second connection. */
  get(
    accountId: number,
    messageId: number,
    db: Reader = this.db,
  ): Promise<ActiveMessage | Unsendable> {
    const key = keyOf({ accountId, messageId });
    const known = this.kept.get(key);
    this.kept.delete(key);
    const now = clock.now();
    if (known && now.getTime() - known.at.getTime() < FRESH_MS) {
      this.kept.set(key, known);
      return known.loading;
    }
    const loading = load(db, accountId, messageId);
    loading.catch(() => this.kept.delete(key));
    this.kept.set(key, { accountId, loading, at: now });
    this.dropOldest();
    return loading;
  }

  /** It was stopped, and may go on since then: what had kept it from being signed, say, may be mended. */
  resumed(key: string, at: Date): void {
    const known = this.kept.get(key);
    if (known && known.at <= at) this.kept.delete(key);
  }

  /** What is kept of this account's (0: of all) need not be so still. */
  forget(accountId: number): void {
    for (const [key, one] of this.kept) {
      if (accountId === 0 || one.accountId === accountId) this.kept.delete(key);
    }
  }

  private dropOldest(): void {
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= this.most) return;
      if (!this.isInUse(oldest)) this.kept.delete(oldest);
    }
  }
}

async function load(
  db: Reader,
  accountId: number,
  messageId: number,
): Promise<ActiveMessage | Unsendable> {
  const row = await findMessage(db, accountId, messageId);
  if (!row) return 'message_gone';
  const frozen = row.frozen as Frozen;
  const { email } = frozen.source.from;
  if (!(await mayComeFrom(db, accountId, row.kind, email))) return 'sender_not_verified';
  const keys = await signingKeys(db, accountId, email);
  const signer =
    keys.length === 0
      ? undefined
      : createSigner(keys.map((key) => ({ ...key, key: createPrivateKey(key.privateKey) })));
  const returnHost = await returnHostOf(db, accountId, email);
  try {
    return new ActiveMessage(row, frozen, signer, row.first_handed_over_at !== null, returnHost);
  } catch (error) {
    // Whatever it is: the same content fails the same way each time.
    log.error('What was frozen can no longer be sent', {
      accountId,
      messageId,
      error: error as Error,
    });
    return 'content_unsendable';
  }
}

async function returnHostOf(
  db: Reader,
  accountId: number,
  email: string,
): Promise<string | undefined> {
  if (!deliverySettings().alignsReturnPath) return undefined;
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  const hosts = await provenHosts(db, accountId);
  return hosts.find((one) => one.domain === domain)?.returnPath;
}
