// One message to SES: POST /v2/email/outbound-emails with the raw message.
import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Answer, HandOver } from '#areas/delivery/server/provider.ts';
import { accepted, classify, noAnswer, notAsked, notSes } from './classify.ts';
import { sign } from './sign.ts';

export type SesOptions = {
  /** https://email.eu-north-1.amazonaws.com */
  readonly endpoint: URL;
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** Where its events go, by the name that SES knows; the account's default where it is missing. */
  readonly configurationSet?: string | undefined;
  /** Requests at once. */
  readonly connections: number;
  /** Messages a second over all connections; 0 = no limit. */
  readonly rate: number;
  /** Milliseconds for an answer. */
  readonly timeout: number;
  readonly firstWait: number;
  readonly longestWait: number;
  /** Resolves the host (a relay of an account's own: to the address that was checked). */
  readonly lookup?: LookupFunction | undefined;
};

const PATH = '/v2/email/outbound-emails';
const MOST_ANSWER = 64 * 1024;

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
   * `raw` is the message (RFC 5322); SES adds nothing to it but its own headers. Never throws: a request
   * that cannot be made at all (a key that fits into no header) is the relay's matter.
   */
  async send(handOver: HandOver, raw: Buffer): Promise<Answer> {
    const body = JSON.stringify({
      Content: { Raw: { Data: raw.toString('base64') } },
      Destination: { ToAddresses: [handOver.to] },
      ConfigurationSetName: this.options.configurationSet,
    });
    try {
      return await this.post(body);
    } catch (error) {
      return notAsked(`No request could be made: ${(error as Error).message}`);
    }
  }

  close(): void {
    this.agent.destroy();
  }

  private post(body: string): Promise<Answer> {
    const { endpoint, region, accessKey, secretKey, timeout } = this.options;
    const url = new URL(PATH, endpoint);
    const credentials = { accessKey, secretKey, region, service: 'ses' };
    const given = { 'content-type': 'application/json' };
    // Signatures carry the wall clock of the wire, not the product's time.
    const headers = sign({ method: 'POST', url, headers: given, body }, credentials, new Date());
    const length = { 'content-length': String(Buffer.byteLength(body)) };
    const send = url.protocol === 'http:' ? httpRequest : httpsRequest;
    return new Promise((resolve) => {
      let isSent = false;
      const options = { method: 'POST', agent: this.agent, headers: { ...headers, ...length } };
      const request = send(url, options, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part: string) => {
          if (text.length < MOST_ANSWER) text += part;
        });
        response.on('error', (error) => resolve(noAnswer('unknown', error.message)));
        response.on('end', () => resolve(read(response.statusCode ?? 0, response.headers, text)));
      });
      request.setTimeout(timeout, () =>
        request.destroy(new Error('No answer within the time limit.')),
      );
      request.on('finish', () => {
        isSent = true;
      });
      // Once the whole message may be there, nobody knows what became of it.
      request.on('error', (error) =>
        resolve(noAnswer(isSent ? 'unknown' : 'deferred', error.message)),
      );
      request.end(body);
    });
  }
}

function read(
  status: number,
  headers: Record<string, string | string[] | undefined>,
  text: string,
): Answer {
  const body = parse(text);
  const id = body['MessageId'];
  if (status >= 200 && status < 300) {
    return typeof id === 'string' && id !== '' ? accepted(id) : notSes(status, text);
  }
  const typed = String(headers['x-amzn-errortype'] ?? body['__type'] ?? body['code'] ?? '');
  const name = typed.replace(/^.*#/, '').replace(/:.*$/, '');
  const words = String(body['message'] ?? body['Message'] ?? text.slice(0, 200));
  return classify(status, name, words);
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
