// One bound connection to an SMSC. Responses are matched by sequence number, enquire_link keeps the
// link alive, and unreadable input ends the session.
import net from 'node:net';
import tls from 'node:tls';
import { COMMAND, encodeBind, encodePdu, type Pdu, PduReader } from './pdu.ts';

export type SmppAccount = {
  host: string;
  port: number;
  isTls: boolean;
  user: string;
  secret: string;
  systemType: string;
  /** DNS lookup of the host; the system's lookup by default. */
  lookup?: net.LookupFunction;
};

/** The SMSC's response; undefined if the connection ended or the response timed out. */
export type SmscResponse = { status: number; body: Buffer } | undefined;

type Events = {
  onBound(): void;
  /** Called if the SMSC refuses the bind, for example for a wrong password. */
  onRefused(status: number): void;
  /** Handles a deliver_sm; returns the status of our response. */
  onDeliverSm(body: Buffer): Promise<number>;
  onClosed(error: Error | undefined): void;
};

const CONNECT_MS = 10_000;
const RESPONSE_MS = 30_000;
const MAX_LATE_MS = 600_000;
const ENQUIRE_MS = 30_000;
const MAX_SEQUENCE = 0x7fffffff;

type PendingRequest = {
  resolve: (response: SmscResponse) => void;
  onResponse?: (response: SmscResponse) => void;
  sentAt: number;
};

export class SmppSession {
  private readonly account: SmppAccount;
  private readonly events: Events;
  private readonly socket: net.Socket;
  private readonly reader = new PduReader();
  private readonly pending = new Map<number, PendingRequest>();
  private readonly timer: NodeJS.Timeout;
  private sequence = 0;
  private isBound = false;
  private hasEnded = false;
  private isCorked = false;
  private receivedAt = performance.now();

  constructor(account: SmppAccount, events: Events) {
    this.account = account;
    this.events = events;
    const { host, port, isTls } = account;
    const lookup = account.lookup && { lookup: account.lookup };
    const greet = () => void this.bind();
    this.socket = isTls
      ? tls.connect({ host, port, ...lookup, servername: net.isIP(host) ? '' : host }, greet)
      : net.connect({ host, port, ...lookup }, greet);
    this.socket.setNoDelay(true);
    this.socket.on('data', (chunk) => this.readChunk(chunk));
    this.socket.on('error', (error) => this.end(error));
    this.socket.on('close', () => this.end());
    this.timer = setInterval(() => this.checkLink(), 1_000);
    this.timer.unref();
  }

  /**
   * Resolves to undefined if no response arrives in time or the session ends. `onResponse` is
   * called with the response, even if it arrives up to ten minutes late.
   */
  request(
    command: number,
    body?: Buffer,
    onResponse?: (response: SmscResponse) => void,
  ): Promise<SmscResponse> {
    if (this.hasEnded) return Promise.resolve(undefined);
    const sequence = this.next();
    return new Promise((resolve) => {
      this.pending.set(sequence, {
        resolve,
        sentAt: performance.now(),
        ...(onResponse && { onResponse }),
      });
      this.write(encodePdu(command, sequence, body));
    });
  }

  /** Writes of one turn of the event loop are sent in as few packets as possible. */
  private write(pdu: Buffer): void {
    if (!this.isCorked) {
      this.isCorked = true;
      this.socket.cork();
      process.nextTick(() => {
        this.isCorked = false;
        this.socket.uncork();
      });
    }
    this.socket.write(pdu);
  }

  async close(): Promise<void> {
    if (this.isBound && !this.hasEnded) {
      const timeout = new Promise((resolve) => setTimeout(resolve, 1_000).unref());
      await Promise.race([this.request(COMMAND.unbind), timeout]);
    }
    this.end();
  }

  private next(): number {
    this.sequence = this.sequence >= MAX_SEQUENCE ? 1 : this.sequence + 1;
    return this.sequence;
  }

  private async bind(): Promise<void> {
    const response = await this.request(COMMAND.bindTransceiver, encodeBind(this.account));
    if (response === undefined) return this.end();
    if (response.status !== 0) {
      this.events.onRefused(response.status);
      return this.end();
    }
    this.isBound = true;
    this.events.onBound();
  }

  private readChunk(chunk: Buffer): void {
    this.receivedAt = performance.now();
    let pdus: Pdu[];
    try {
      pdus = this.reader.read(chunk);
    } catch (error) {
      return this.end(error as Error);
    }
    for (const pdu of pdus) this.receive(pdu);
  }

  private receive({ command, status, sequence, body }: Pdu): void {
    if (command >= COMMAND.nack) {
      const pending = this.pending.get(sequence);
      this.pending.delete(sequence);
      pending?.resolve({ status, body });
      pending?.onResponse?.({ status, body });
      return;
    }
    if (command === COMMAND.deliver) void this.deliver(sequence, body);
    else if (command === COMMAND.enquireLink) this.reply(COMMAND.enquireLinkResp, sequence);
    else if (command === COMMAND.unbind) {
      this.reply(COMMAND.unbindResp, sequence);
      this.end();
    } else this.reply(COMMAND.nack, sequence, 0x03);
  }

  /** Acknowledges a message only after its effects are committed, so that none is lost. */
  private async deliver(sequence: number, body: Buffer): Promise<void> {
    const status = await this.events.onDeliverSm(body);
    this.reply(COMMAND.deliverResp, sequence, status, Buffer.from([0]));
  }

  private reply(command: number, sequence: number, status = 0, body?: Buffer): void {
    if (!this.hasEnded) this.write(encodePdu(command, sequence, body, status));
  }

  private checkLink(): void {
    const now = performance.now();
    const idleMs = now - this.receivedAt;
    if (!this.isBound && idleMs > CONNECT_MS) return this.end(new Error('No response to the bind'));
    if (idleMs > ENQUIRE_MS + RESPONSE_MS)
      return this.end(new Error('The link no longer responds'));
    const hasPending = [...this.pending.values()].some(
      (pending) => pending.onResponse === undefined,
    );
    if (this.isBound && idleMs > ENQUIRE_MS && !hasPending) void this.request(COMMAND.enquireLink);
    for (const [sequence, pending] of this.pending) {
      // The response may still arrive; `onResponse` handles it.
      if (now - pending.sentAt > RESPONSE_MS) pending.resolve(undefined);
      if (now - pending.sentAt > MAX_LATE_MS) this.pending.delete(sequence);
    }
  }

  private end(error?: Error): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    clearInterval(this.timer);
    this.socket.destroy();
    for (const { resolve } of this.pending.values()) resolve(undefined);
    this.pending.clear();
    this.events.onClosed(error);
  }
}
