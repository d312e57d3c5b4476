// A POST request over its own socket. The test sends the last byte of the body separately.
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import type { TestClient, TestServer } from './server.ts';

/** Sends all but the last byte of the body. The server must be listening. */
export async function startPost(
  { app }: TestServer,
  { cookies }: TestClient,
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<{
  /** Sends the last byte and returns the beginning of the response. */
  end: () => Promise<string>;
}> {
  const { port } = app.server.address() as AddressInfo;
  const bytes = Buffer.from(JSON.stringify(body));
  const socket = net.connect(port, '127.0.0.1');
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const headerLines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const requestReceived = once(app.server, 'request');
  socket.write(
    `POST ${url} HTTP/1.1\r\nhost: localhost\r\nx-sendloom: 1\r\ncookie: ${cookie}\r\ncontent-type: application/json\r\n${headerLines.join('')}content-length: ${bytes.length}\r\n\r\n`,
  );
  socket.write(bytes.subarray(0, -1));
  await requestReceived;
  return {
    end: async () => {
      socket.write(bytes.subarray(-1));
      const [answer] = await once(socket, 'data');
      socket.destroy();
      return String(answer);
    },
  };
}
