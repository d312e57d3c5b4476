// Code shared by the SMTP servers: the built-in inbox, the return path and submission.
import type { SMTPServer, SMTPServerDataStream } from 'smtp-server';
import { limitConnections } from '#platform/server/limits/connection-limit.ts';

export type SmtpPort = { port: number; close(): Promise<void> };

/** Starts a server. Port 0 takes any free port. */
export async function openSmtpPort(
  server: SMTPServer,
  address: { port: number; host: string },
  maxPerNetwork = Number.POSITIVE_INFINITY,
): Promise<SmtpPort> {
  server.on('error', () => {});
  limitConnections(server.server, {
    maxPerNetwork,
    refusalMessage: '421 4.7.0 Too many connections from your network\r\n',
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.server.once('error', reject);
    server.listen(address.port, address.host, () => {
      server.server.off('error', reject);
      const bound = server.server.address();
      resolve(typeof bound === 'object' && bound ? bound.port : address.port);
    });
  });
  return { port, close: () => new Promise((resolve) => server.close(() => resolve())) };
}

/** Returns the error that smtp-server replies with. */
export function createSmtpRefusal(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

/**
 * Reads a message to its end and returns its first bytes, at most `maxBytes`.
 * @throws if the connection is lost before the end
 */
export async function readMessage(stream: SMTPServerDataStream, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (size < maxBytes) chunks.push(chunk.subarray(0, maxBytes - size));
    size += chunk.length;
  }
  return Buffer.concat(chunks);
}
