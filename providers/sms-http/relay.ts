// Delivers SMS to a provider over HTTP: one call per SMS, with limited concurrency. The protocol
// (SmsProtocol) builds the call and classifies its response. For all providers, acceptance is
// unknown after a lost response, and after an unreadable one that is not a clear refusal; such an
// SMS is never resent automatically.
import type { OpenSmsRelay, SmsHandoff } from '#areas/delivery/server/sender/index.ts';
import type {
  HandoffResult,
  RelayConnection,
  RelayState,
  HandoffSource,
} from '#areas/delivery/server/relays/provider.ts';
import { cleanText, cutText, parseJson } from '#platform/server/clean-text.ts';
import { ConcurrentCalls } from '../concurrent-calls.ts';

type SmsCall = { url: string; headers: Record<string, string>; body: string };

export type SmsProtocol = {
  /** For screens and logs. */
  name: string;
  request(handoff: SmsHandoff): SmsCall;
  /** Reads a JSON response; undefined if it is not from this provider. */
  read(status: number, body: unknown): SmsReading | undefined;
};

/**
 * The response of a provider. `slower` pauses the whole relay for a while. `refused` concerns our
 * account, `sender` our number, `no_recipient` and `opted_out` the recipient, and `failed` this
 * SMS.
 */
export type SmsReading =
  | { is: 'accepted'; remoteId: string; parts?: number; costMicros?: number }
  | { is: 'slower'; words: string }
  | {
      is: 'refused' | 'sender' | 'failed' | 'no_recipient' | 'opted_out';
      code: number | string;
      words: string;
    };

type Options = {
  maxConcurrent: number;
  /** For an account's own provider: a fetch function that calls only public hosts. */
  fetch?: (url: string, call: RequestInit) => Promise<Response>;
  timeoutMs?: number;
};

const TICK_MS = 250;
const RETRY_MS = 2_000;
const SLOWER_MS = 5_000;
const REFUSED_MS = 60_000;
const TIMEOUT_MS = 30_000;
const MAX_BODY = 64 * 1024;
/** Errors before the request, so nothing was sent. */
const NEVER_SENT = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['UND_ERR_CONNECT_TIMEOUT', 'CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

export function openHttpSms(protocol: SmsProtocol, options: Options): OpenSmsRelay {
  return <H extends SmsHandoff>(source: HandoffSource<H>) =>
    new HttpSms<H>(protocol, options, source);
}

class HttpSms<H extends SmsHandoff> implements RelayConnection {
  readonly name: string;
  readonly capacity: number;
  private readonly protocol: SmsProtocol;
  private readonly options: Options;
  private readonly source: HandoffSource<H>;
  private readonly calls = new ConcurrentCalls(() => this.wake(), TICK_MS);
  private pausedUntil = 0;
  private current: RelayState = { kind: 'ready' };
  private accepted: number[] = [];

  constructor(protocol: SmsProtocol, options: Options, source: HandoffSource<H>) {
    this.name = protocol.name;
    this.capacity = options.maxConcurrent;
    this.protocol = protocol;
    this.options = options;
    this.source = source;
  }

  state(): RelayState {
    return this.current;
  }

  getStatistics() {
    const windowStart = performance.now() - 5_000;
    this.accepted = this.accepted.filter((callAt) => callAt > windowStart);
    return {
      ...{ connections: this.calls.count, inFlight: this.calls.count },
      acceptedPerSecond: this.accepted.length / 5,
      allowedPerSecond: Number.POSITIVE_INFINITY,
    };
  }

  wake(): void {
    if (performance.now() < this.pausedUntil) return;
    if (this.current.kind !== 'ready') this.changeState({ kind: 'ready', isUnproven: true });
    this.calls.pull(
      this.source,
      () => this.calls.count < this.capacity && performance.now() >= this.pausedUntil,
      (handoff) => this.deliver(handoff),
    );
  }

  close(withinMs?: number): Promise<void> {
    return this.calls.close(withinMs);
  }

  private async deliver(handoff: H): Promise<void> {
    const result = await this.call(handoff);
    if (result.outcome === 'accepted') {
      this.accepted.push(performance.now());
      if (this.current.kind !== 'ready' || this.current.isUnproven)
        this.changeState({ kind: 'ready' });
    }
    if (result.scope === 'relay' || result.scope === 'connection') this.pause(result);
    this.source.onResult(handoff, result);
  }

  private pause(result: HandoffResult): void {
    if (result.outcome === 'accepted' || result.outcome === 'unknown') return;
    const retryInMs = result.retryInMs ?? RETRY_MS;
    this.pausedUntil = performance.now() + retryInMs;
    const state = result.outcome === 'relay_refused' ? 'refused' : 'waiting';
    this.changeState({ kind: state, retryInMs, result });
  }

  private changeState(state: RelayState): void {
    this.current = state;
    this.source.onStateChange?.(state);
  }

  private async call(handoff: H): Promise<HandoffResult> {
    const { url, headers, body } = this.protocol.request(handoff);
    let response: Response;
    let text: string;
    try {
      response = await (this.options.fetch ?? fetch)(url, {
        method: 'POST',
        headers,
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(this.options.timeoutMs ?? TIMEOUT_MS),
      });
      text = (await response.text()).slice(0, MAX_BODY);
    } catch (error) {
      return handoffResultOfError(error as Error);
    }
    const reading = this.protocol.read(response.status, tryParseJson(text));
    if (reading) return toHandoffResult(response.status, reading);
    return buildIntermediaryResult(response, text);
  }
}

const BASE = { scope: 'recipient', step: 'request', enhancedCode: '', reply: '' } as const;

const cleanReply = (text: string) => cutText(cleanText(text).replace(/\s+/g, ' ').trim(), 500);

function handoffResultOfError(error: Error): HandoffResult {
  const { code } = (error.cause ?? error) as { code?: string };
  const isNeverSent = code !== undefined && NEVER_SENT.has(code);
  const outcome = isNeverSent ? 'deferred' : 'unknown';
  const reason = [error.message, code].filter(Boolean).join(' ');
  const retryFields = isNeverSent ? { retryInMs: RETRY_MS } : {};
  return {
    ...BASE,
    outcome,
    scope: 'connection',
    code: 0,
    reply: cleanReply(reason),
    ...retryFields,
  };
}

/**
 * Classifies a response that is not from the provider: only a clear refusal proves that the SMS was
 * not accepted.
 */
function buildIntermediaryResult(response: Response, text: string): HandoffResult {
  const { status } = response;
  const reply = cleanReply(text);
  const base = { ...BASE, code: status, reply, scope: 'relay' } as const;
  if (status === 429 || status === 503) {
    const retryAfterMs = Number(response.headers.get('retry-after')) * 1000;
    return { ...base, outcome: 'deferred', retryInMs: retryAfterMs > 0 ? retryAfterMs : SLOWER_MS };
  }
  if (status === 401 || status === 403) {
    return { ...base, outcome: 'relay_refused', retryInMs: REFUSED_MS };
  }
  if (status >= 400 && status < 500) return { ...base, outcome: 'failed', scope: 'message' };
  return { ...base, outcome: 'unknown', scope: 'connection' };
}

function toHandoffResult(status: number, reading: SmsReading): HandoffResult {
  if (reading.is === 'accepted') {
    const { is: _, ...text } = reading;
    return { ...BASE, outcome: 'accepted', code: status, sms: text };
  }
  if (reading.is === 'slower') {
    const { words: reason } = reading;
    const wait = { retryInMs: SLOWER_MS, code: status, reply: cleanReply(reason) };
    return { ...BASE, ...wait, outcome: 'deferred', scope: 'relay' };
  }
  const { is, code, words: reason } = reading;
  const base = { ...BASE, code: status, reply: cleanReply(`${code} ${reason}`) };
  switch (is) {
    case 'refused':
      return { ...base, outcome: 'relay_refused', scope: 'relay', retryInMs: REFUSED_MS };
    case 'sender':
      return { ...base, outcome: 'relay_refused', scope: 'sender' };
    case 'no_recipient':
      return { ...base, outcome: 'failed', sms: { isUnknownRecipient: true } };
    case 'opted_out':
      return { ...base, outcome: 'failed', sms: { hasOptedOut: true } };
    default:
      return { ...base, outcome: 'failed' };
  }
}

function tryParseJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
