// HTTP servers that receive webhooks: one that records them, and one that never responds.
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect } from 'vitest';
import { publicClient } from '../setup/public-client.ts';
import type { TestServer } from '../setup/server.ts';

export type ReceivedHook = { headers: IncomingHttpHeaders; body: string };

export type WebhookReceiver = {
  url: string;
  /** Emptied by a test that starts to count. */
  received: ReceivedHook[];
  /** HTTP status of the next responses; redirects (3xx) point at a closed port. */
  status: number;
  close(): Promise<void>;
};

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Starts a server that records each request and responds with `status` and the text "thanks". */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      receiver.received.push({ headers: request.headers, body });
      response.writeHead(receiver.status, { location: 'http://127.0.0.1:1/' }).end('thanks');
    });
  });
  const receiver: WebhookReceiver = {
    url: `${await listen(server)}hook`,
    received: [],
    status: 200,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
  return receiver;
}

/** Starts a server that accepts requests and never responds. */
export async function startSilentServer() {
  const server = createServer((request) => void request.resume());
  const sockets: Socket[] = [];
  server.on('connection', (socket) => sockets.push(socket));
  const url = await listen(server);
  return {
    url,
    /** All connections since the start, including closed ones. */
    connections: sockets,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Signs up an account whose new webhooks are delivered to the receiver. */
export async function newWebhookAccount(server: TestServer, { url }: WebhookReceiver) {
  const owner = await server.owner();
  const api = await publicClient(server, owner);
  return {
    owner,
    api,
    /** Creates a webhook and returns it. */
    createWebhook: async (topic: string, settings: object = {}) => {
      const { status, body, text } = await api.post('/account/webhooks', {
        url,
        topic,
        ...settings,
      });
      expect(status, text).toBe(200);
      return body;
    },
  };
}
