// A test server of SES's HTTP API that accepts each message or answers as scripted. It verifies no
// signatures; the SES provider's own tests do.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type SesResponse = { status: number; body: string; type?: string };
/**
 * Selects the response by the number of earlier requests and the message; undefined accepts the
 * message.
 */
type SesScript = (
  requestNumber: number,
  raw: string,
) => SesResponse | 'hang up' | 'say nothing' | undefined;

export type TestSesServer = {
  readonly port: number;
  /** Accepted messages. */
  readonly accepted: { to: string; messageId: string; configurationSet: string | undefined }[];
  /** Number of requests. */
  readonly requestCount: number;
  /** The highest number of concurrent requests since `script` was set. */
  readonly peakConcurrency: number;
  script: SesScript;
  close(): Promise<void>;
};

type Body = {
  Content: { Raw: { Data: string } };
  Destination: { ToAddresses: string[] };
  ConfigurationSetName?: string;
};

export async function startSesServer(): Promise<TestSesServer> {
  const acceptedEmails: TestSesServer['accepted'] = [];
  let script: SesScript = () => undefined;
  let requests = 0;
  let concurrent = 0;
  let max = 0;
  const server = createServer(async (request, response) => {
    const requestNumber = requests++;
    max = Math.max(max, ++concurrent);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    await new Promise((resolve) => setTimeout(resolve, 3));
    concurrent--;
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Body;
    const raw = Buffer.from(body.Content.Raw.Data, 'base64').toString();
    const reply = script(requestNumber, raw);
    if (reply === 'hang up') {
      request.socket.destroy();
      return;
    }
    if (reply === 'say nothing') return;
    if (reply) {
      response.writeHead(reply.status, reply.type ? { 'x-amzn-errortype': reply.type } : {});
      response.end(reply.body);
      return;
    }
    const messageId = /^message-id:\s*<?([^>\r\n]+)>?/im.exec(raw)?.[1] ?? '';
    const recipients = body.Destination.ToAddresses.join();
    acceptedEmails.push({ to: recipients, messageId, configurationSet: body.ConfigurationSetName });
    response.end(JSON.stringify({ MessageId: `0107-${acceptedEmails.length}` }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    accepted: acceptedEmails,
    get requestCount() {
      return requests;
    },
    get peakConcurrency() {
      return max;
    },
    get script() {
      return script;
    },
    set script(reply: SesScript) {
      script = reply;
      max = 0;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
