// Compares the SMPP client with bare submit_sm: the same SMS to the same sink over one connection
// with the same window, in alternating rounds. It also measures the cost of computing an SMS's
// parts and alphabet. npm run bench -- sms [--json] [--texts 40000] [--window 10] [--rounds 7]
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measure, replaceTypographicQuotes } from '#areas/content/text-parts.ts';
import type { SmsHandoff } from '#areas/delivery/server/sender/index.ts';
import { openSmpp } from '#providers/smpp/index.ts';
import { toGsm } from '#providers/smpp/alphabet.ts';
import {
  toSmppAddress,
  COMMAND,
  encodeBind,
  encodePdu,
  encodeSubmit,
  PduReader,
} from '#providers/smpp/pdu.ts';
import { median } from './kit/figures.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    texts: { type: 'string', default: '40000' },
    window: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '7' },
  },
  allowPositionals: true,
});
const count = Number(values.texts);
const window = Number(values.window);
const rounds = Number(values.rounds);
const ACCOUNT = { host: '127.0.0.1', isTls: false, user: 'me', secret: 'secret', systemType: '' };
const SMS_BODY =
  'Bloom: Hi Name 200, tulips are in: https://bloom.example/s/AEAADCAAAADIiOQNSxhx Reply STOP to opt out';
const MAX_PARTS_MICROSECONDS = 3;

const textOf = (n: number): SmsHandoff => ({
  ...{ accountId: 1, to: `+1512${5_550_000 + (n % 9_999)}`, from: '+15125550177', text: SMS_BODY },
  ...{ encoding: 'gsm7', parts: 1, reference: `copy ${n}`, callbackUrl: '', expiresAt: undefined },
});

/**
 * Creates and writes each SMS on demand; the window limits concurrency. Responses are matched by
 * number.
 */
async function runBare(port: number, smsCount: number): Promise<number> {
  const submit = (n: number) =>
    encodeSubmit({
      ...{ from: toSmppAddress('+15125550177'), to: toSmppAddress(textOf(n).to), hasHeader: false },
      ...{ coding: 0, validity: '', message: toGsm(SMS_BODY) },
    });
  const socket = connect({ host: '127.0.0.1', port });
  socket.setNoDelay(true);
  await once(socket, 'connect');
  socket.write(encodePdu(COMMAND.bindTransceiver, 1, encodeBind(ACCOUNT)));
  await once(socket, 'data');
  const startedAt = performance.now();
  let sentCount = 0;
  const inFlight = new Set<number>();
  const reader = new PduReader();
  await new Promise<void>((resolve) => {
    const sendMore = () => {
      for (; sentCount < smsCount && inFlight.size < window; sentCount++) {
        inFlight.add(sentCount + 2);
        socket.write(encodePdu(COMMAND.submit, sentCount + 2, submit(sentCount)));
      }
    };
    socket.on('data', (chunk) => {
      for (const { sequence } of reader.read(chunk)) inFlight.delete(sequence);
      if (sentCount === smsCount && inFlight.size === 0) resolve();
      else sendMore();
    });
    sendMore();
  });
  const seconds = (performance.now() - startedAt) / 1000;
  socket.destroy();
  return smsCount / seconds;
}

async function runOurs(port: number, smsCount: number): Promise<{ rate: number; cpu: number }> {
  const waiting = Array.from({ length: smsCount }, (_, n) => textOf(n));
  let issuedCount = 0;
  let answeredCount = 0;
  let startedAt = 0;
  let cpu = process.cpuUsage();
  let finish: () => void = () => {};
  const end = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const listener = { onEvent: async () => {}, findReference: async () => undefined };
  const account = { ...ACCOUNT, port };
  const relay = openSmpp({ account, window, alphabet: 'gsm7', listener })<SmsHandoff>({
    countReady: () => smsCount - issuedCount,
    next: () => {
      if (issuedCount === 0) {
        startedAt = performance.now();
        cpu = process.cpuUsage();
      }
      return waiting[issuedCount] ? (waiting[issuedCount++] as SmsHandoff) : null;
    },
    onResult: (_, { outcome }) => {
      if (outcome !== 'accepted') throw new Error(`The sink returned ${outcome}`);
      if (++answeredCount === smsCount) finish();
    },
  });
  await end;
  const rate = smsCount / ((performance.now() - startedAt) / 1000);
  const usedCpu = process.cpuUsage(cpu);
  await relay.close(100);
  return { rate, cpu: (usedCpu.user + usedCpu.system) / smsCount };
}

/**
 * Measures the µs for replacing quotes and computing the alphabet and parts of an SMS, averaged
 * over short, long and wide text.
 */
function runParts(): number {
  const bodies = [
    SMS_BODY,
    `${SMS_BODY} ${SMS_BODY}`,
    `${SMS_BODY} „ačiū“`,
    '🌷'.repeat(90),
    '{€}'.repeat(60),
  ];
  let partCount = 0;
  const measureOnce = (times: number) => {
    const startedAt = performance.now();
    for (let n = 0; n < times; n++) {
      for (const text of bodies) partCount += measure(replaceTypographicQuotes(text)).parts;
    }
    return ((performance.now() - startedAt) * 1000) / (times * bodies.length);
  };
  measureOnce(5_000);
  const microseconds = median(Array.from({ length: 7 }, () => measureOnce(20_000)));
  if (partCount === 0) throw new Error('No measurement was taken');
  return microseconds;
}

async function startSink(): Promise<{ sink: ChildProcess; port: number }> {
  const file = join(import.meta.dirname, 'sms', 'sink.ts');
  const sink = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(sink.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  return { sink, port: Number(String(line)) };
}

const { sink, port } = await startSink();
try {
  await runOurs(port, 5_000);
  await runBare(port, 5_000);
  const results: { ratio: number; bare: number; cpu: number }[] = [];
  console.log('round  bare submit_sm/s  sendloom/s  ratio  CPU µs');
  for (let round = 1; round <= rounds; round++) {
    const bareRate = await runBare(port, count);
    const { rate, cpu } = await runOurs(port, count);
    results.push({ ratio: rate / bareRate, bare: bareRate, cpu });
    console.log(
      [
        String(round).padStart(5),
        bareRate.toFixed(0).padStart(16),
        rate.toFixed(0).padStart(11),
        (rate / bareRate).toFixed(2).padStart(6),
        cpu.toFixed(1).padStart(7),
      ].join(' '),
    );
  }
  const ratio = median(results.map((result) => result.ratio));
  const cpu = median(results.map((result) => result.cpu));
  const partsMicroseconds = runParts();
  console.log(
    `median: ${ratio.toFixed(2)} × bare submit_sm (limit 0.8) with a window of ${window}, ${cpu.toFixed(1)} µs of CPU per SMS`,
  );
  console.log(
    `parts and alphabet: ${partsMicroseconds.toFixed(2)} µs per SMS (limit ${MAX_PARTS_MICROSECONDS})`,
  );
  if (values.json)
    console.log(JSON.stringify({ bench: 'sms', ratio, cpu, parts: partsMicroseconds, window }));
  if (ratio < 0.8 || partsMicroseconds > MAX_PARTS_MICROSECONDS) process.exitCode = 1;
} finally {
  sink.kill();
}
