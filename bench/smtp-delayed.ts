// Compares the SMTP client with nodemailer's pool for a relay with a round trip of 20 ms: 10
// connections and the same 20 KB message, in alternating rounds. The relay is the SMTP server of
// the tests with CHUNKING, in a separate process behind a proxy that delays every byte by half the
// round trip. npm run bench -- smtp-delayed [--json] [--delay 20] [--rounds 5] [--chunking no]
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { parseArgs } from 'node:util';
import { createTransport } from 'nodemailer';
import { openSmtpRelay, parseSmtpUrl } from '#providers/smtp/index.ts';
import { startSmtpServer } from '#testing/servers/smtp-server.ts';
import { median } from './kit/figures.ts';
import { createBenchMessage, Repeated, roundToHundredths } from './smtp/load.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    delay: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '5' },
    chunking: { type: 'string', default: 'yes' },
    relay: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const CONNECTIONS = 10;
const SECONDS = 3;

if (values.relay) {
  await runRelay(Number(values.delay));
} else {
  await main();
}

async function main(): Promise<void> {
  const relay = fork(import.meta.filename, ['--relay', '--delay', values.delay]);
  try {
    const [port] = (await once(relay, 'message')) as [number];
    const message = createBenchMessage(20_000);
    const ratios: number[] = [];
    const rates: number[] = [];
    console.log(`${values.delay} ms to the relay\nround  nodemailer/s  sendloom/s  ratio`);
    for (let round = 1; round <= Number(values.rounds); round++) {
      const nodemailerRate = await runNodemailer(port, message, 150 * SECONDS);
      const clientRate = await runClient(port, message, 450 * SECONDS);
      ratios.push(clientRate / nodemailerRate);
      rates.push(clientRate);
      console.log(
        [
          String(round).padStart(5),
          nodemailerRate.toFixed(0).padStart(13),
          clientRate.toFixed(0).padStart(11),
        ].join(' '),
        (clientRate / nodemailerRate).toFixed(2).padStart(6),
      );
    }
    const ratio = roundToHundredths(median(ratios));
    console.log(`median: ${ratio} × nodemailer`);
    if (values.json) {
      const perSecond = Math.round(median(rates));
      console.log(JSON.stringify({ bench: 'smtp-delayed', ratio, perSecond }));
    }
  } finally {
    stop(relay);
  }
}

async function runClient(port: number, message: Buffer, count: number): Promise<number> {
  const source = new Repeated(message, count);
  const query = `connections=${CONNECTIONS}&chunking=${values.chunking}`;
  const relay = openSmtpRelay(parseSmtpUrl(`smtp://127.0.0.1:${port}?${query}`), source);
  const startedAt = performance.now();
  relay.wake();
  await source.isDone;
  const rate = (count * 1_000) / (performance.now() - startedAt);
  await relay.close();
  if (source.accepted !== count) {
    throw new Error(`${source.accepted} of ${count} were accepted`);
  }
  return rate;
}

async function runNodemailer(port: number, raw: Buffer, count: number): Promise<number> {
  const transport = createTransport({
    host: '127.0.0.1',
    port,
    pool: true,
    maxConnections: CONNECTIONS,
    maxMessages: Number.POSITIVE_INFINITY,
    ignoreTLS: true,
  });
  const envelope = { from: 'bounce@example.com', to: 'person@example.net' };
  let remaining = count;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: CONNECTIONS * 3 }, async () => {
      while (remaining-- > 0) {
        await transport.sendMail({ envelope, raw });
      }
    }),
  );
  const rate = (count * 1_000) / (performance.now() - startedAt);
  transport.close();
  return rate;
}

async function runRelay(delay: number): Promise<void> {
  const { port: target } = await startSmtpServer({ chunking: true });
  const proxy = createServer({ noDelay: true }, (near) => {
    const far = connect({ port: target, host: '127.0.0.1', noDelay: true });
    delayBytes(near, far, delay / 2);
    delayBytes(far, near, delay / 2);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const address = proxy.address();
  process.send?.(typeof address === 'object' && address ? address.port : 0);
  process.on('disconnect', () => process.exit());
}

function delayBytes(source: Socket, target: Socket, milliseconds: number): void {
  source.on('data', (bytes) => setTimeout(() => target.write(bytes), milliseconds));
  source.on('close', () => setTimeout(() => target.destroy(), milliseconds));
  source.on('error', () => {});
}

function stop(relay: ChildProcess): void {
  relay.disconnect();
}
