// Delivers SMS to an SMSC over one bound connection, with a limited window of concurrent parts. If
// the SMSC accepts some parts of an SMS and defers others, only the deferred parts are retried.
import {
  type ReceiptQuery,
  isSameNumber,
  type KnownSms,
  type OpenSmsRelay,
  type SmsEvent,
  type SmsHandoff,
} from '#areas/delivery/server/sender/index.ts';
import type {
  HandoffResult,
  RelayConnection,
  RelayState,
  HandoffSource,
} from '#areas/delivery/server/relays/provider.ts';
import { FairTurns } from '#platform/server/work/fair-turns.ts';
import { ConcurrentCalls } from '../concurrent-calls.ts';
import { type Alphabet, encodeText } from './alphabet.ts';
import * as outcomes from './outcomes.ts';
import { toSmppAddress, COMMAND, encodeSubmit, PduFields, formatSmppTime } from './pdu.ts';
import { type SmppAccount, SmppSession, type SmscResponse } from './session.ts';
import { ReceiptReader, alternativeIds, type Receipt } from './delivery-receipts.ts';

/** Handlers of messages from the SMSC. */
export type SmppListener = {
  /** Resolves once the effects of the event are committed. */
  onEvent(event: SmsEvent): Promise<void>;
  /**
   * Finds the SMS with the ID of the receipt. If there is none, finds an SMS to one of the numbers
   * of the receipt whose ID is the same in another base or letter case (an alias).
   */
  findReference(receipt: ReceiptQuery): Promise<KnownSms | undefined>;
};

export type SmppOptions = {
  account: SmppAccount;
  /** Maximum number of parts without a response. */
  window: number;
  alphabet: Alphabet;
  listener: SmppListener;
};

const TICK_MS = 250;
const RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;
/**
 * How many times a deferred part is retried if another part of the same SMS was accepted. After
 * that, the result of the whole SMS is unknown.
 */
const MAX_TRIES = 60;
/**
 * SMS with recent IDs are held in memory, because a receipt may arrive before the response is
 * stored.
 */
const MAX_KNOWN_IDS = 100_000;
const RECEIPT_TRIES = 3;
const TEMPORARY_ERROR = 0x64;

export function openSmpp(options: SmppOptions): OpenSmsRelay {
  return <H extends SmsHandoff>(source: HandoffSource<H>) => new SmppRelay<H>(options, source);
}

class SmppRelay<H extends SmsHandoff> implements RelayConnection {
  readonly name: string;
  readonly capacity: number;
  private readonly options: SmppOptions;
  private readonly source: HandoffSource<H>;
  private readonly receipts: ReceiptReader;
  /** Prefixes the SMSC's own ids, because two SMSCs may use the same ids. */
  private readonly prefix: string;
  private readonly calls = new ConcurrentCalls(() => this.wake(), TICK_MS);
  private readonly knownSms = new Map<string, KnownSms & { to: string }>();
  /** Exact ids by their aliases. */
  private readonly aliases = new Map<string, Set<string>>();
  private session: SmppSession | undefined;
  private isBound = false;
  private isClosed = false;
  /**
   * The size of the window minus the number of all parts of the SMS in flight. It is negative while
   * some of these parts wait for room in the window.
   */
  private freePartCount: number;
  private readonly submissions: FairTurns;
  private pausedUntil = 0;
  private retryMs = RETRY_MS;
  /** Reference number shared by the parts of an SMS. */
  private joinReference = Math.floor(Math.random() * 256);
  private current: RelayState = { kind: 'ready' };
  private readonly acceptedAt: number[] = [];

  constructor(options: SmppOptions, source: HandoffSource<H>) {
    const { host, port } = options.account;
    this.name = `smpp ${host}:${port}`;
    this.prefix = `smpp:${host}:${port}/`;
    this.capacity = options.window;
    this.freePartCount = options.window;
    const unlimited = Number.POSITIVE_INFINITY;
    this.submissions = new FairTurns({
      maxConcurrent: options.window,
      maxPerKey: unlimited,
      maxWaiting: unlimited,
    });
    this.options = options;
    this.source = source;
    this.receipts = new ReceiptReader(options.alphabet);
    this.connect();
  }

  state(): RelayState {
    return this.current;
  }

  getStatistics() {
    const windowStart = performance.now() - 5_000;
    while ((this.acceptedAt[0] ?? windowStart) < windowStart) this.acceptedAt.shift();
    return {
      ...{ connections: this.isBound ? 1 : 0, inFlight: this.calls.count },
      acceptedPerSecond: this.acceptedAt.length / 5,
      allowedPerSecond: Number.POSITIVE_INFINITY,
    };
  }

  wake(): void {
    if (this.isClosed || !this.isBound || performance.now() < this.pausedUntil) return;
    if (this.current.kind !== 'ready') this.changeState({ kind: 'ready' });
    this.calls.pull(
      this.source,
      () => this.freePartCount > 0,
      (handoff) => this.deliverSms(handoff),
    );
  }

  async close(withinMs?: number): Promise<void> {
    this.isClosed = true;
    await this.calls.close(withinMs);
    await this.session?.close();
  }

  private connect(): void {
    if (this.isClosed) return;
    let refusal: HandoffResult | undefined;
    this.session = new SmppSession(this.options.account, {
      onBound: () => {
        this.isBound = true;
        this.retryMs = RETRY_MS;
        this.changeState({ kind: 'ready' });
        this.wake();
      },
      onRefused: (status) => {
        refusal = outcomes.bindRefused(status);
      },
      onDeliverSm: (body) => this.handleDeliverSm(body),
      onClosed: (error) => this.onConnectionEnd(refusal, error),
    });
  }

  private onConnectionEnd(refusal: HandoffResult | undefined, error: Error | undefined): void {
    this.isBound = false;
    if (this.isClosed) return;
    const retryInMs = refusal?.retryInMs ?? this.retryMs;
    this.retryMs = Math.min(MAX_RETRY_MS, this.retryMs * 2);
    const result =
      refusal ?? outcomes.connectionLost(error?.message ?? 'The connection ended', retryInMs);
    this.changeState({ kind: refusal ? 'refused' : 'waiting', retryInMs, result });
    setTimeout(() => this.connect(), retryInMs).unref();
  }

  private changeState(state: RelayState): void {
    this.current = state;
    this.source.onStateChange?.(state);
  }

  private async deliverSms(handoff: H): Promise<void> {
    const { to, from, text, reference, expiresAt } = handoff;
    this.joinReference = (this.joinReference + 1) & 0xff;
    const { coding, pieces } = encodeText(text, this.joinReference, this.options.alphabet);
    const address = { from: toSmppAddress(from), to: toSmppAddress(to), coding };
    const validity = formatSmppTime(expiresAt);
    const bodies = pieces.map((smsPart) => encodeSubmit({ ...address, ...smsPart, validity }));
    this.freePartCount -= bodies.length;
    const progress = { accepted: 0 };
    const pendingReport = { reference, to, partCount: bodies.length };
    const responses = await Promise.all(
      bodies.map((body) => this.submit(body, pendingReport, progress)),
    );
    this.freePartCount += bodies.length;
    this.source.onResult(handoff, this.toResult(responses, bodies.length));
  }

  /**
   * Submits one part once the window has room. Retries it while the SMSC defers it, if another part
   * of its SMS was accepted.
   */
  private async submit(
    body: Buffer,
    sms: KnownSms & { to: string },
    progress: { accepted: number },
  ): Promise<SmscResponse> {
    for (let n = 0; ; n++) {
      const onResponse = (response: SmscResponse) => this.remember(response, sms);
      const response = await this.submissions.run(
        this.name,
        async () => await this.session?.request(COMMAND.submit, body, onResponse),
      );
      if (!response || response.status === 0) {
        if (response) progress.accepted++;
        return response;
      }
      if (!outcomes.isSlower(response.status)) return response;
      this.pausedUntil = performance.now() + RETRY_MS;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
      if (progress.accepted === 0 || n >= MAX_TRIES || !this.isBound) return response;
    }
  }

  private remember(response: SmscResponse, sms: KnownSms & { to: string }): void {
    if (response?.status !== 0) return;
    const id = idOf(response);
    if (id === '') return;
    if (this.knownSms.size >= MAX_KNOWN_IDS) this.drop(this.knownSms.keys().next().value as string);
    this.knownSms.set(id, sms);
    for (const name of alternativeIds(id)) {
      const ids = this.aliases.get(name) ?? new Set<string>();
      this.aliases.set(name, ids.add(id));
    }
  }

  private drop(id: string): void {
    this.knownSms.delete(id);
    for (const name of alternativeIds(id)) {
      const ids = this.aliases.get(name);
      ids?.delete(id);
      if (ids?.size === 0) this.aliases.delete(name);
    }
  }

  private toResult(responses: readonly SmscResponse[], partCount: number): HandoffResult {
    const refusal = responses.find((response) => response !== undefined && response.status !== 0);
    const isAccepted = responses.some((response) => response?.status === 0);
    // If a response is missing, or some parts were accepted and some deferred, the whole SMS must
    // not be resent.
    if (responses.includes(undefined)) return outcomes.UNKNOWN;
    if (!refusal) {
      this.acceptedAt.push(performance.now());
      const ids = responses.map((response) => this.prefix + idOf(response));
      return outcomes.accepted(ids.at(-1) as string, partCount, ids);
    }
    const result = outcomes.buildRefusedResult(refusal.status);
    if (isAccepted && result.outcome !== 'failed')
      return { ...outcomes.UNKNOWN, reply: result.reply };
    if (result.scope === 'relay') {
      const { retryInMs = RETRY_MS } = result;
      this.changeState({ kind: 'waiting', retryInMs, result });
    }
    return result;
  }

  private async handleDeliverSm(body: Buffer): Promise<number> {
    const { listener } = this.options;
    try {
      const reading = this.receipts.read(body);
      if (reading && 'event' in reading) await listener.onEvent(reading.event);
      else if (reading) await this.applyReceipt(reading.receipt);
      return 0;
    } catch {
      // The SMSC sends the message again after this status.
      return TEMPORARY_ERROR;
    }
  }

  /** A receipt may arrive before the response with its ID is stored, so the lookup is repeated. */
  private async applyReceipt({ id, numbers, isDelivered, error }: Receipt): Promise<void> {
    for (let n = 0; n < RECEIPT_TRIES; n++) {
      const match =
        this.knownSms.get(id) ??
        (await this.options.listener.findReference({
          ids: [this.prefix + id],
          aliases: alternativeIds(id).map((name) => this.prefix + name),
          numbers,
        })) ??
        this.findByAlias(id, numbers);
      if (match) {
        const { reference, partCount } = match;
        const partFields = partCount > 1 ? { part: { id: this.prefix + id, partCount } } : {};
        const event = { reference, remoteId: this.prefix + id, at: new Date(), ...partFields };
        await this.options.listener.onEvent(
          isDelivered ? { kind: 'delivered', ...event } : { kind: 'undelivered', ...event, error },
        );
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
    }
  }

  /** Finds an SMS to one of these numbers by its id in another base or letter case. */
  private findByAlias(id: string, numbers: readonly string[]): KnownSms | undefined {
    for (const name of alternativeIds(id)) {
      for (const exact of this.aliases.get(name) ?? []) {
        const sms = this.knownSms.get(exact);
        if (sms && numbers.some((number) => isSameNumber(number, sms.to))) return sms;
      }
    }
    return undefined;
  }
}

/** The ID as the SMSC wrote it. */
const idOf = (response: SmscResponse): string =>
  response ? new PduFields(response.body).text() : '';
