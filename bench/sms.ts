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
 * Creates and writes each SMS on demand, as many concurrently as the window allows. Responses are
 * matched by number.
 */
async function runBare(port: number, texts: number): Promise<number> {
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
  let sent = 0;
  const inFlight = new Set<number>();
  const reader = new PduReader();
  await new Promise<void>((done) => {
    const sendMore = () => {
      for (; sent < texts && inFlight.size < window; sent++) {
        inFlight.add(sent + 2);
        socket.write(encodePdu(COMMAND.submit, sent + 2, submit(sent)));
      }
    };
    socket.on('data', (chunk) => {
      for (const { sequence } of reader.read(chunk)) inFlight.delete(sequence);
      if (sent === texts && inFlight.size === 0) done();
      else sendMore();
    });
    sendMore();
  });
  const seconds = (performance.now() - startedAt) / 1000;
  socket.destroy();
  return texts / seconds;
}

async function runOurs(port: number, texts: number): Promise<{ rate: number; cpu: number }> {
  const waiting = Array.from({ length: texts }, (_, n) => textOf(n));
  let issued = 0;
  let answered = 0;
  let startedAt = 0;
  let cpu = process.cpuUsage();
  let done: () => void = () => {};
  const end = new Promise<void>((resolve) => {
    done = resolve;
  });
  const listener = { onEvent: async () => {}, referenceOf: async () => undefined };
  const account = { ...ACCOUNT, port };
  const relay = openSmpp({ account, window, alphabet: 'gsm7', listener })<SmsHandoff>({
    ready: () => texts - issued,
    next: () => {
      if (issued === 0) {
        startedAt = performance.now();
        cpu = process.cpuUsage();
      }
      return waiting[issued] ? (waiting[issued++] as SmsHandoff) : null;
    },
    answered: (_, { outcome }) => {
      if (outcome !== 'accepted') throw new Error(`The sink returned ${outcome}`);
      if (++answered === texts) done();
    },
  });
  await end;
  const rate = texts / ((performance.now() - startedAt) / 1000);
  const used = process.cpuUsage(cpu);
  await relay.close(100);
  return { rate, cpu: (used.user + used.system) / texts };
}

/**
 * Measures the µs that plain quotes, alphabet and parts of one SMS take, for short, long and wide
 * texts.
 */
function runParts(): number {
  const texts = [
    SMS_BODY,
    `${SMS_BODY} ${SMS_BODY}`,
    `${SMS_BODY} „ačiū“`,
    '🌷'.repeat(90),
    '{€}'.repeat(60),
  ];
  let parts = 0;
  const once = (times: number) => {
    const startedAt = performance.now();
    for (let n = 0; n < times; n++) {
      for (const text of texts) parts += measure(replaceTypographicQuotes(text)).parts;
    }
    return ((performance.now() - startedAt) * 1000) / (times * texts.length);
  };
  once(5_000);
  const figure = median(Array.from({ length: 7 }, () => once(20_000)));
  if (parts === 0) throw new Error('No measurement was taken');
  return figure;
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
    const bare = await runBare(port, count);
    const { rate, cpu } = await runOurs(port, count);
    results.push({ ratio: rate / bare, bare, cpu });
    console.log(
      [
        String(round).padStart(5),
        bare.toFixed(0).padStart(16),
        rate.toFixed(0).padStart(11),
        (rate / bare).toFixed(2).padStart(6),
        cpu.toFixed(1).padStart(7),
      ].join(' '),
    );
  }
  const ratio = median(results.map((result) => result.ratio));
  const cpu = median(results.map((result) => result.cpu));
  const parts = runParts();
  console.log(
    `median: ${ratio.toFixed(2)} × bare submit_sm (limit 0.8) with a window of ${window}, ${cpu.toFixed(1)} µs of CPU per SMS`,
  );
  console.log(
    `parts and alphabet: ${parts.toFixed(2)} µs per SMS (limit ${MAX_PARTS_MICROSECONDS})`,
  );
  if (values.json) console.log(JSON.stringify({ bench: 'sms', ratio, cpu, parts, window }));
  if (ratio < 0.8 || parts > MAX_PARTS_MICROSECONDS) process.exitCode = 1;
} finally {
  sink.kill();
}
