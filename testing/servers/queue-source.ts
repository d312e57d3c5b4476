// A source of messages for tests of relays: a queue of messages, and the relay's results.
import type {
  HandoffResult,
  Handoff,
  RelayConnection,
  RelayState,
  HandoffSource,
} from '#areas/delivery/server/relays/provider.ts';
import { WholeMessage } from '#areas/delivery/server/relays/provider.ts';

const mayUseReserve = (handoff: Handoff) => handoff.mayUseReserve === true;

export class QueueSource implements HandoffSource {
  readonly waiting: Handoff[] = [];
  /** Results in order of arrival. */
  readonly results: { readonly handoff: Handoff; readonly result: HandoffResult }[] = [];
  readonly states: RelayState[] = [];
  relay: RelayConnection | undefined;
  private takenCount = 0;
  private watchers: (() => void)[] = [];

  add(...handoffs: Handoff[]): void {
    this.waiting.push(...handoffs);
    this.relay?.wake();
  }

  countReady(isReserveOnly = false): number {
    return isReserveOnly ? this.waiting.filter(mayUseReserve).length : this.waiting.length;
  }

  next(isReserveOnly = false): Handoff | null {
    const index = this.waiting.findIndex((handoff) => !isReserveOnly || mayUseReserve(handoff));
    const handoff = index < 0 ? null : (this.waiting.splice(index, 1)[0] ?? null);
    this.takenCount += handoff ? 1 : 0;
    return handoff;
  }

  onResult(handoff: Handoff, result: HandoffResult): void {
    this.results.push({ handoff, result });
    this.notify();
  }

  onStateChange(state: RelayState): void {
    this.states.push(state);
    this.notify();
  }

  /** The number of messages that the relay took and has no result for. */
  get inFlight(): number {
    return this.takenCount - this.results.length;
  }

  /** Returns the result of the message for this recipient. */
  resultFor(to: string): HandoffResult | undefined {
    return this.results.find((entry) => entry.handoff.to === to)?.result;
  }

  async waitForResults(count: number): Promise<HandoffResult[]> {
    await this.until(() => this.results.length >= count);
    return this.results.map((entry) => entry.result);
  }

  async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) {
      await new Promise<void>((resolve) => this.watchers.push(resolve));
    }
  }

  private notify(): void {
    for (const resolve of this.watchers.splice(0)) {
      resolve();
    }
  }
}

/**
 * Creates a small message. Its Message-ID (`<7@test.example>`) and return path contain `number`.
 */
export function createMessage(number: number, body = 'Hello.\r\n', to = `p${number}@example.net`) {
  const source = `Message-ID: <${number}@test.example>\r\nSubject: Letter ${number}\r\n\r\n${body}`;
  return new WholeMessage(`bounce+${number}@example.com`, to, Buffer.from(source));
}

export function createMessages(count: number, firstNumber = 1): WholeMessage[] {
  return Array.from({ length: count }, (_, i) => createMessage(firstNumber + i));
}
