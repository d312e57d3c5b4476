// Sends one message to SES: POST /v2/email/outbound-emails with the raw message.
import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { HandoffResult, Handoff } from '#areas/delivery/server/relays/provider.ts';
import { parseJson } from '#platform/server/clean-text.ts';
import { clock } from '#platform/server/clock.ts';
import { sign } from '#platform/server/outgoing/signature-v4.ts';
import { accepted, classify, buildResultWithoutReply, notSent, notSes } from './classify.ts';

export type SesOptions = {
  /** For example https://email.eu-north-1.amazonaws.com. */
  readonly endpoint: URL;
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** The configuration set of the messages; the account's default if missing. */
  readonly configurationSet?: string | undefined;
  /** Maximum concurrent requests. */
  readonly connections: number;
  /** Messages per second across all connections; 0 = no limit. */
  readonly rate: number;
  /** Milliseconds for the response once the whole message is sent, and for inactivity before. */
  readonly timeoutMs: number;
  readonly firstWaitMs: number;
  readonly maxWaitMs: number;
  /** Resolves the host; for an account's own relay, to the verified address. */
  readonly lookup?: LookupFunction | undefined;
};

const PATH = '/v2/email/outbound-emails';
const MAX_RESPONSE_LENGTH = 64 * 1024;
/** Sending a message may take this many times the limit for the response. */
const SEND_TIMEOUT_FACTOR = 10;

export class SesClient {
  private readonly options: SesOptions;
  private readonly agent: HttpAgent | HttpsAgent;

  constructor(options: SesOptions) {
    this.options = options;
    const { connections: maxSockets } = options;
    const settings = {
      keepAlive: true,
      maxSockets,
      ...(options.lookup ? { lookup: options.lookup } : {}),
    };
    this.agent =
      options.endpoint.protocol === 'http:' ? new HttpAgent(settings) : new HttpsAgent(settings);
  }

  /**
   * `raw` is the message (RFC 5322); SES adds only its own headers. Never throws: a request that
   * cannot be made (for example with a key that is invalid in a header) is an error of the relay.
   * @param signal aborts the request
   */
  async send(handoff: Handoff, raw: Buffer, signal?: AbortSignal): Promise<HandoffResult> {
    const body = JSON.stringify({
      Content: { Raw: { Data: raw.toString('base64') } },
      Destination: { ToAddresses: [handoff.to] },
      ConfigurationSetName: this.options.configurationSet,
    });
    try {
      return await this.post(body, signal);
    } catch (error) {
      return notSent(`No request could be made: ${(error as Error).message}`);
    }
  }

  close(): void {
    this.agent.destroy();
  }

  private post(body: string, signal: AbortSignal | undefined): Promise<HandoffResult> {
    const { endpoint, region, accessKey, secretKey, timeoutMs } = this.options;
    const url = new URL(PATH, endpoint);
    const credentials = { accessKey, secretKey, region, service: 'ses' };
    const baseHeaders = { 'content-type': 'application/json' };
    // SES refuses signatures that are five minutes off, so they use the database's time.
    const headers = sign(
      { method: 'POST', url, headers: baseHeaders, body },
      credentials,
      clock.now(),
    );
    const length = { 'content-length': String(Buffer.byteLength(body)) };
    const send = url.protocol === 'http:' ? httpRequest : httpsRequest;
    const options = { method: 'POST', agent: this.agent, headers: { ...headers, ...length } };
    return new Promise((resolve) => {
      let isSent = false;
      // Once the whole message may have arrived, the result is unknown.
      const fail = (reason: string) => {
        resolve(buildResultWithoutReply(isSent ? 'unknown' : 'deferred', reason));
        request.destroy();
      };
      const onTimeout = () => fail('No answer within the time limit.');
      const request = send(url, options, (response) => {
        const resolveWith = (text: string) =>
          resolve(readResult(response.statusCode ?? 0, response.headers, text));
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
          if (text.length < MAX_RESPONSE_LENGTH) return;
          resolveWith(text);
          request.destroy();
        });
        response.on('error', (error) => resolve(buildResultWithoutReply('unknown', error.message)));
        response.on('end', () => resolveWith(text));
      });
      // This is a separate timer, because occasional bytes would reset the inactivity timeout
      // forever.
      let timer = setTimeout(onTimeout, timeoutMs * SEND_TIMEOUT_FACTOR);
      request.setTimeout(timeoutMs, onTimeout);
      signal?.addEventListener('abort', onTimeout);
      request.on('finish', () => {
        isSent = true;
        clearTimeout(timer);
        timer = setTimeout(onTimeout, timeoutMs);
      });
      request.on('error', (error) => fail(error.message));
      request.on('close', () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onTimeout);
      });
      request.end(body);
    });
  }
}

function readResult(
  status: number,
  headers: Record<string, string | string[] | undefined>,
  text: string,
): HandoffResult {
  const body = parse(text);
  const id = body['MessageId'];
  if (status >= 200 && status < 300) {
    return typeof id === 'string' && id !== '' ? accepted(id) : notSes(status, text);
  }
  const errorType = String(headers['x-amzn-errortype'] ?? body['__type'] ?? body['code'] ?? '');
  const name = errorType.replace(/^.*#/, '').replace(/:[^]*$/, '');
  const message = String(body['message'] ?? body['Message'] ?? text.slice(0, 200));
  return classify(status, name, message);
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = parseJson(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
