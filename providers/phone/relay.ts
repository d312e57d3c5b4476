// Delivers SMS to the built-in phone in the web process, with one loopback request per SMS.
import type { OpenSmsRelay, SmsHandoff } from '#areas/delivery/server/sender/index.ts';
import type {
  HandoffResult,
  RelayConnection,
  HandoffSource,
} from '#areas/delivery/server/relays/provider.ts';
import { ConcurrentCalls } from '../concurrent-calls.ts';

const MAX_CONCURRENT = 16;
const RETRY_MS = 2_000;

type PhoneMessage = Pick<SmsHandoff, 'from' | 'to' | 'text' | 'parts' | 'reference'>;

/** @param url `http://127.0.0.1:8080` of the web process */
export function openPhoneRelay(url: string): OpenSmsRelay {
  return <H extends SmsHandoff>(source: HandoffSource<H>) => new PhoneRelay<H>(url, source);
}

class PhoneRelay<H extends SmsHandoff> implements RelayConnection {
  readonly name = 'phone';
  readonly capacity = MAX_CONCURRENT;
  private readonly url: string;
  private readonly source: HandoffSource<H>;
  private readonly calls = new ConcurrentCalls(() => this.wake(), RETRY_MS);

  constructor(url: string, source: HandoffSource<H>) {
    this.url = url;
    this.source = source;
  }

  state() {
    return { kind: 'ready' } as const;
  }

  getStatistics() {
    return {
      connections: this.calls.count,
      inFlight: this.calls.count,
      acceptedPerSecond: 0,
      allowedPerSecond: Number.POSITIVE_INFINITY,
    };
  }

  wake(): void {
    this.calls.pull(
      this.source,
      () => this.calls.count < MAX_CONCURRENT,
      (handoff) => this.deliver(handoff),
    );
  }

  close(withinMs?: number): Promise<void> {
    return this.calls.close(withinMs);
  }

  private async deliver(handoff: H): Promise<void> {
    const { from, to, text, parts, reference } = handoff;
    this.source.onResult(handoff, await this.call({ from, to, text, parts, reference }));
  }

  private async call(body: PhoneMessage): Promise<HandoffResult> {
    try {
      const response = await fetch(`${this.url}/phone/api/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(10_000),
      });
      const { id } = (await response.json()) as { id?: number };
      if (response.status === 200 && id !== undefined) {
        return {
          ...RESULT_BASE,
          outcome: 'accepted',
          code: 200,
          sms: { remoteId: `phone-${id}` },
        };
      }
      return {
        ...RESULT_BASE,
        outcome: 'deferred',
        scope: 'relay',
        code: response.status,
        retryInMs: RETRY_MS,
      };
    } catch (error) {
      const isUnreachable = (error as { cause?: { code?: string } }).cause?.code === 'ECONNREFUSED';
      const outcome = isUnreachable ? 'deferred' : 'unknown';
      return {
        ...RESULT_BASE,
        outcome,
        scope: 'connection',
        reply: String(error).slice(0, 200),
        retryInMs: RETRY_MS,
      };
    }
  }
}

const RESULT_BASE = {
  scope: 'recipient',
  step: 'request',
  code: 0,
  enhancedCode: '',
  reply: '',
} as const;
