// The email channel: an email is compiled once per message. Each copy is written into the relay's
// buffer and signed with the keys of the sending domain unless the domain has none or the relay
// signs.
import { createPrivateKey } from 'node:crypto';
import {
  type CompiledMessage,
  compileMessage,
  createSigner,
  type DkimSigner,
  createRenderMoment,
  computeMaxBytes,
  usesCopyValues,
  type MessageRecipient,
  type RenderMoment,
  render,
  renderTexts,
  loadFiles,
} from '#areas/content/server/index.ts';
import { listProvenHosts, listSigningKeys } from '#areas/domains/server/index.ts';
import { getInstallationTokens } from '#areas/tracking/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { readProviderCaps } from '../caps/provider-caps.ts';
import type { CopyFields } from '../feedback/copy-fields.ts';
import type { Frozen } from '../ledger/messages.ts';
import type { LedgerMessageRow } from '../ledger/messages.sql.ts';
import type { Handoff } from '../relays/provider.ts';
import { ActiveMessage, type ActiveRow, type StartedCopy } from '../sender/active-message.ts';
import { isPermittedSender } from '../sender/sender-proof.ts';
import { LedgerHandoff } from '../sender/sending.ts';
import { deliverySettings } from '../settings.ts';
import { compiling, readable } from './compiling.ts';

/** Input of one recipient's copy. */
type EmailCopyInput = {
  readonly recipient: MessageRecipient;
  readonly moment: RenderMoment;
  readonly texts: readonly string[];
};

export class EmailMessage extends ActiveMessage {
  readonly compiled: CompiledMessage;
  readonly signer: DkimSigner | undefined;
  /** The sending domain's own return-path host; undefined for the installation's. */
  readonly returnHost: string | undefined;
  override readonly hasMemberships: boolean;
  override readonly locale: string;
  private moment: RenderMoment;

  constructor(
    row: ActiveRow,
    { source, fields }: Frozen,
    signer: DkimSigner | undefined,
    returnHost?: string,
  ) {
    const compiledMessage = compileMessage({ ...source, message_id: row.id });
    super(row, source.from.email, compiledMessage.names, fields);
    this.compiled = compiledMessage;
    this.hasMemberships = usesCopyValues(compiledMessage);
    this.locale = compiledMessage.locale;
    this.signer = signer;
    this.returnHost = returnHost;
    this.moment = createRenderMoment(clock.now(), compiledMessage.locale);
  }

  /** Sets the instant that copies use for their Date field and as "now" in date filters. */
  private updateMoment(now: Date): RenderMoment {
    this.moment = createRenderMoment(now, this.compiled.locale);
    return this.moment;
  }

  override createHandoffs(copies: readonly StartedCopy[], now: Date): LedgerHandoff[] {
    const moment = this.updateMoment(now);
    const tokens = tokensFor(this, copies);
    return copies.map((copy, i) => {
      const recipient = {
        email: copy.to,
        token: tokens.link(i),
        message_token: tokens.messageId(i),
        values: copy.values,
      };
      return new EmailSending(this, copy, recipient, tokens.returnPath(i), moment);
    });
  }

  /**
   * Writes a copy and returns the offset after its last byte; -1 if the buffer is too small.
   * `signature` was prepared by `signAhead`. If it is empty, the copy stays unsigned. If it is
   * undefined, the copy is signed here, provided that the message has a signer.
   */
  write(copy: EmailCopyInput, buffer: Buffer, offset: number, signature?: string): number {
    if (!this.signer || signature === '') return this.render(copy, buffer, offset);
    const end = this.render(copy, buffer, offset + this.signer.length);
    if (end === -1) return end;
    if (signature === undefined) this.signer.sign(buffer, offset, end, copy.moment.now);
    else buffer.write(signature, offset, 'latin1');
    return end;
  }

  /**
   * Returns the signature of the bytes that `write` will write; undefined for unsigned copies, and
   * if `scratch` is too small.
   */
  signAhead(copy: EmailCopyInput, scratch: Buffer): Promise<string> | undefined {
    const end = this.signer ? this.render(copy, scratch, 0) : -1;
    return end === -1 ? undefined : this.signer?.signOnThread(scratch, 0, end, copy.moment.now);
  }

  private render(
    { recipient, moment, texts }: EmailCopyInput,
    buffer: Buffer,
    offset: number,
  ): number {
    return render(this.compiled, recipient, moment, buffer, offset, texts);
  }
}

class EmailSending extends LedgerHandoff implements Handoff {
  readonly isDotSafe = true;
  isSignedByRelay = false;
  fields: CopyFields | undefined;
  private readonly emailMessage: EmailMessage;
  private readonly copySize: number;
  private readonly copy: EmailCopyInput;
  private signature: string | undefined;

  constructor(
    message: EmailMessage,
    copy: StartedCopy,
    recipient: MessageRecipient,
    from: string,
    moment: RenderMoment,
  ) {
    super(message, copy, from, moment.now);
    this.emailMessage = message;
    this.isReady = message.signer === undefined || this.skipReason !== '';
    const isLeaving = this.skipReason === '';
    const renderedTexts = isLeaving ? renderTexts(message.compiled, recipient, moment) : [];
    this.copy = { recipient, moment, texts: renderedTexts };
    this.copySize = isLeaving
      ? computeMaxBytes(message.compiled, renderedTexts) + (message.signer?.length ?? 0)
      : 0;
  }

  override get size(): number {
    return this.copySize + this.relayFields.length;
  }

  /**
   * Header fields for the relay, above the signature and not covered by it: the relay may change
   * them.
   */
  private get relayFields(): string {
    return this.fields?.(this.copy.recipient.message_token) ?? '';
  }

  write(buffer: Buffer, offset: number): number {
    const signature = this.isSignedByRelay ? '' : this.signature;
    const { relayFields } = this;
    const start =
      relayFields === '' ? offset : offset + buffer.write(relayFields, offset, 'latin1');
    return this.emailMessage.write(this.copy, buffer, start, signature);
  }

  override async sign(scratch: Buffer): Promise<void> {
    try {
      this.signature = await this.emailMessage.signAhead(this.copy, scratch);
    } catch {
      // Ignored: writing the copy at the handoff throws the error again.
    }
    this.isReady = true;
  }
}

const SILENT = ['link', 'messageId'] as const;
const BOUNCING = [...SILENT, 'bounce'] as const;

/** Creates the tokens and return paths for a batch of copies. */
function tokensFor(message: EmailMessage, copies: readonly StartedCopy[]) {
  const payloads = copies.map(({ recipientState: { subscriberId: subscriber }, ordinal }) => ({
    ...{ account: message.accountId, message: message.id },
    ...{ subscriber, ordinal },
  }));
  const { bounceDomain } = deliverySettings();
  const returnHost = message.returnHost ?? bounceDomain;
  const purposes = bounceDomain ? BOUNCING : SILENT;
  const [links, ids, bounces] = getInstallationTokens().makeMany(payloads, purposes);
  return {
    link: (i: number) => links?.[i] as string,
    messageId: (i: number) => ids?.[i] as string,
    returnPath: (i: number) => (bounces ? `b+${bounces[i]}@${returnHost}` : message.from),
  };
}

export async function loadEmail(
  db: Reader,
  row: LedgerMessageRow,
): Promise<EmailMessage | 'sender_not_verified'> {
  const frozen = row.frozen as Frozen;
  const accountId = row.account_id;
  const { email } = frozen.source.from;
  if (!(await isPermittedSender(db, accountId, row.kind, email))) return 'sender_not_verified';
  const keys = await listSigningKeys(db, accountId, email);
  const signer =
    keys.length === 0
      ? undefined
      : createSigner(keys.map((key) => ({ ...key, key: createPrivateKey(key.privateKey) })));
  const returnHost = await returnHostOf(db, accountId, email);
  const source = await readable(() => loadFiles(frozen.source));
  const message = compiling(() => new EmailMessage(row, { ...frozen, source }, signer, returnHost));
  if (message.isMarketing) message.providerCaps = await readProviderCaps(db, accountId, email);
  return message;
}

async function returnHostOf(
  db: Reader,
  accountId: number,
  email: string,
): Promise<string | undefined> {
  if (!deliverySettings().alignsReturnPath) return undefined;
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  const hosts = await listProvenHosts(db, accountId);
  return hosts.find((host) => host.domain === domain)?.returnPath;
}
