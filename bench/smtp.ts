// Compares the SMTP client alone with Postfix's `smtp-source -d`: in alternating rounds, both send
// the same 20 KB message to the same `smtp-sink`.
// npm run bench -- smtp [--json] [--sessions 10] [--messages 20000] [--rounds 7]
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openSmtpRelay, parseSmtpUrl } from '#providers/smtp/index.ts';
import { median } from './kit/figures.ts';
import { createBenchMessage, Repeated, roundToHundredths } from './smtp/load.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    sessions: { type: 'string', default: '10' },
    messages: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '7' },
    bytes: { type: 'string', default: '20000' },
  },
  allowPositionals: true,
});
const sessions = Number(values.sessions);
const count = Number(values.messages);
const rounds = Number(values.rounds);
const path = `/usr/sbin:${process.env['PATH'] ?? ''}`;

interface SmtpRound {
  readonly source: number;
  readonly client: number;
  readonly cpu: number;
}

async function main(): Promise<void> {
  if (!isInstalled('smtp-sink') || !isInstalled('smtp-source')) {
    console.error("This benchmark needs smtp-source and smtp-sink (Debian's package postfix).");
    process.exit(2);
  }
  const folder = mkdtempSync(join(tmpdir(), 'smtp-bench-'));
  const file = join(folder, 'message');
  const message = createBenchMessage(Number(values.bytes));
  writeFileSync(file, message.toString('latin1').replaceAll('\r\n', '\n'));
  const port = 20_000 + (process.pid % 20_000);
  const sink = await startSink(port);
  try {
    await runClient(port, message, Math.min(count, 5_000));
    const results: SmtpRound[] = [];
    for (let round = 0; round < rounds; round++) {
      const source = await runSource(port, file);
      const { rate, cpu } = await runClient(port, message, count);
      results.push({ source, client: rate, cpu });
      print(round, source, rate, cpu);
    }
    report(results);
  } finally {
    sink.kill();
    rmSync(folder, { recursive: true });
  }
}

function report(results: SmtpRound[]): void {
  const ratio = median(results.map((round) => round.client / round.source));
  const cpu = median(results.map((round) => round.cpu));
  console.log(
    `median: ${ratio.toFixed(2)} × smtp-source with ${sessions} sessions, ${cpu.toFixed(1)} µs of CPU a message`,
  );
  if (values.json) {
    const perSecond = Math.round(median(results.map((round) => round.client)));
    console.log(
      JSON.stringify({
        bench: 'smtp',
        ratio: roundToHundredths(ratio),
        perSecond,
        cpu: roundToHundredths(cpu),
        sessions,
      }),
    );
  }
}

function print(round: number, source: number, client: number, cpu: number): void {
  if (round === 0) {
    console.log('round  smtp-source/s  sendloom/s  ratio  CPU µs');
  }
  console.log(
    [
      String(round + 1).padStart(5),
      source.toFixed(0).padStart(14),
      client.toFixed(0).padStart(11),
      (client / source).toFixed(2).padStart(6),
      cpu.toFixed(1).padStart(7),
    ].join(' '),
  );
}

async function runSource(port: number, file: string): Promise<number> {
  const startedAt = performance.now();
  const args = ['-d', '-s', `${sessions}`, '-m', `${count}`, '-F', file];
  const child = spawn(
    'smtp-source',
    [...args, '-f', 'bounce@example.com', '-t', 'person@example.net', `127.0.0.1:${port}`],
    { env: { ...process.env, PATH: path }, stdio: 'inherit' },
  );
  const [code] = (await once(child, 'exit')) as [number];
  if (code !== 0) {
    throw new Error(`smtp-source ended with ${code}`);
  }
  return (count * 1_000) / (performance.now() - startedAt);
}

async function runClient(port: number, message: Buffer, count: number) {
  const source = new Repeated(message, count);
  const options = parseSmtpUrl(`smtp://127.0.0.1:${port}?tls=none&connections=${sessions}`);
  const usageBefore = process.cpuUsage();
  const startedAt = performance.now();
  const relay = openSmtpRelay(options, source);
  relay.wake();
  await source.isDone;
  const seconds = (performance.now() - startedAt) / 1_000;
  const usedCpu = process.cpuUsage(usageBefore);
  await relay.close();
  if (source.accepted !== count) {
    throw new Error(`${source.accepted} of ${count} were accepted`);
  }
  return { rate: count / seconds, cpu: (usedCpu.user + usedCpu.system) / count };
}

async function startSink(port: number): Promise<ChildProcess> {
  // If it is run as root, smtp-sink requires a user.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const sink = spawn('smtp-sink', [...user, `127.0.0.1:${port}`, '1000'], {
    env: { ...process.env, PATH: path },
    stdio: 'inherit',
  });
  for (let attempt = 0; attempt < 100; attempt++) {
    if (await isAccepting(port)) {
      return sink;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  sink.kill();
  throw new Error('smtp-sink did not start');
}

function isAccepting(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => {
      socket.end('QUIT\r\n');
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function isInstalled(name: string): boolean {
  try {
    execFileSync('which', [name], { env: { ...process.env, PATH: path }, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

await main();
