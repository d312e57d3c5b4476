// Starts the built-in test gateway on its own port, for billing tests. Its routes are those that
// the web process serves for the gateway.
import type { AddressInfo } from 'node:net';
import { mkdtemp } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import fastify from 'fastify';
import { openLedger, testGatewayPlugin } from '#providers/test-gateway/index.ts';
import { runAtEnd } from '../setup/at-the-end.ts';

export type TestGateway = {
  base: string;
  ledger: Awaited<ReturnType<typeof openLedger>>;
  /** Returns a nonce as the card form does. */
  card(number?: string): string;
};

/** Starts the gateway; its webhooks are sent to `hooks`. */
export async function startTestGateway(hooks = 'http://127.0.0.1:9/none'): Promise<TestGateway> {
  const folder = await mkdtemp(path.join(os.tmpdir(), `sendloom-test-${process.pid}-gateway-`));
  const ledger = await openLedger(folder);
  const app = fastify();
  await app.register(testGatewayPlugin({ ledger, hooks }));
  await app.listen({ port: 0, host: '127.0.0.1' });
  runAtEnd(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  return {
    base: `http://127.0.0.1:${port}`,
    ledger,
    card(number = '4111111111111111') {
      const nonce = ledger.tokenize(number, 12, 2035);
      if (!nonce) throw new Error(`${number} is not a card number`);
      return nonce;
    },
  };
}
