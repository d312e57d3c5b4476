// The load of the SMTP benchmarks, which is one message that is repeated.
import type {
  HandoffResult,
  Handoff,
  HandoffSource,
} from '#areas/delivery/server/relays/provider.ts';

export class Repeated implements HandoffSource<Handoff> {
  accepted = 0;
  readonly isDone: Promise<void>;
  private left: number;
  private answers = 0;
  private readonly count: number;
  private readonly handoff: Handoff;
  private end: () => void = () => {};

  constructor(message: Buffer, count: number) {
    this.count = count;
    this.left = count;
    this.isDone = new Promise((resolve) => {
      this.end = resolve;
    });
    this.handoff = {
      from: 'bounce@example.com',
      to: 'person@example.net',
      size: message.length,
      isDotSafe: true,
      write: (into, offset) => offset + message.copy(into, offset),
    };
  }

  countReady(): number {
    return this.left;
  }

  next(): Handoff | null {
    if (this.left === 0) {
      return null;
    }
    this.left--;
    return this.handoff;
  }

  onResult(_: Handoff, result: HandoffResult): void {
    if (result.outcome === 'accepted') {
      this.accepted++;
    }
    if (++this.answers === this.count) {
      this.end();
    }
  }
}

export function createBenchMessage(bytes: number): Buffer {
  const head =
    'From: Shop <shop@example.com>\r\nTo: person@example.net\r\nSubject: A letter\r\n' +
    'Message-ID: <1@example.com>\r\nMIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n';
  const line = '<td style=3D"padding:12px;color:#1b1d22">Something to read here</td>\r\n';
  return Buffer.from(
    head + line.repeat(Math.max(1, Math.round((bytes - head.length) / line.length))),
  );
}

export function roundToHundredths(value: number): number {
  return Math.round(value * 100) / 100;
}
