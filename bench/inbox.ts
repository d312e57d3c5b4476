// Compares the built-in inbox, which stores each message on disk before it answers, with the same
// SMTP server without storage. Our client sends the same message over 10 connections in
// alternating rounds, and each server has a separate process. npm run bench -- inbox [--json]
// [--messages 20000] [--bytes 20000] [--rounds 5]
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startInbox } from '#providers/inbox/index.ts';
import { startInboxServer } from '#providers/inbox/smtp-server.ts';
import { openSmtpRelay, parseSmtpUrl } from '#providers/smtp/index.ts';
import { median } from './kit/figures.ts';
import { createBenchMessage, Repeated, roundToHundredths } from './smtp/load.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    messages: { type: 'string', default: '20000' },
    bytes: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '5' },
    folder: { type: 'string' },
    nothing: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const CONNECTIONS = 10;
const count = Number(values.messages);

if (values.folder !== undefined) await runInbox(values.folder);
else if (values.nothing) await discardAll();
else await main();

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'inbox-bench-'));
  const [inbox, empty] = [start(['--folder', folder]), start(['--nothing'])];
  try {
    const [inboxPort, emptyPort] = await Promise.all([portOf(inbox), portOf(empty)]);
    const message = createBenchMessage(Number(values.bytes));
    const rounds: { kept: number; ratio: number }[] = [];
    console.log('round  no storage/s  inbox/s  ratio');
    for (let round = 1; round <= Number(values.rounds); round++) {
      const limit = await send(emptyPort, message);
      const storedRate = await send(inboxPort, message);
      rounds.push({ kept: storedRate, ratio: storedRate / limit });
      const columns = [limit.toFixed(0).padStart(15), storedRate.toFixed(0).padStart(8)];
      console.log(
        String(round).padStart(5),
        ...columns,
        (storedRate / limit).toFixed(2).padStart(6),
      );
    }
    const ratio = roundToHundredths(median(rounds.map((round) => round.ratio)));
    const perSecond = Math.round(median(rounds.map((round) => round.kept)));
    console.log(`median: ${perSecond} a second, ${ratio} of the server without storage`);
    if (values.json) console.log(JSON.stringify({ bench: 'inbox', ratio, perSecond }));
  } finally {
    inbox.disconnect();
    empty.disconnect();
    await Promise.all([once(inbox, 'exit'), once(empty, 'exit')]);
    rmSync(folder, { recursive: true });
  }
}

function start(args: string[]): ChildProcess {
  return fork(import.meta.filename, args);
}

async function portOf(server: ChildProcess): Promise<number> {
  const [port] = (await once(server, 'message')) as [number];
  return port;
}

/** Sends the messages and returns how many per second; throws unless all are accepted. */
async function send(port: number, message: Buffer): Promise<number> {
  const source = new Repeated(message, count);
  const options = parseSmtpUrl(`smtp://127.0.0.1:${port}?tls=none&connections=${CONNECTIONS}`);
  const startedAt = performance.now();
  const relay = openSmtpRelay(options, source);
  relay.wake();
  await source.isDone;
  const rate = (count * 1_000) / (performance.now() - startedAt);
  await relay.close();
  if (source.accepted !== count) throw new Error(`${source.accepted} of ${count} were accepted`);
  return rate;
}

async function runInbox(dataDir: string): Promise<void> {
  const log = (message: string) => console.error(message);
  const inbox = await startInbox({ dataDir, port: 0, log: { info: log, error: log } });
  process.on('disconnect', () => inbox.close().then(() => process.exit()));
  process.send?.(inbox.port);
}

async function discardAll(): Promise<void> {
  const server = await startInboxServer({
    port: 0,
    store: () => {},
    onError: (error) => console.error(error),
  });
  process.on('disconnect', () => process.exit());
  process.send?.(server.port);
}
