// Sends the hostile inputs of testing/hostile to the real roles, one after the other. Also measures
// the median response time of one account while another account makes expensive calls.
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { createHostileInputs, type HostileTarget } from '#testing/hostile/inputs.ts';
import { newOwner, type BenchOwner } from '../kit/owner.ts';

/** The number of characters of an input, somewhat below the size limit of a JSON body. */
const LENGTH = 900_000;
/** Heartbeats arrive every second and cover the previous second. */
const SETTLE_MS = 1_200;
const CALL_MS = 60_000;
const COSTLY_CALLS = 80;
const SAMPLES = 25;
const BETWEEN_MS = 40;
/**
 * A shared machine pauses every process occasionally, so an input counts as slow only if each
 * attempt is slow.
 */
const ATTEMPTS = 3;

export type BenchRoles = { base: string; returnPort: number };

/**
 * Sends each input up to ATTEMPTS times. `measure` runs `work` and returns the longest pause during
 * it.
 */
export async function measureHostile(
  { base, returnPort }: BenchRoles,
  measure: (name: string, work: () => Promise<unknown>) => Promise<number>,
  limitMs: number,
): Promise<{ asked: number; over: string[]; statuses: Map<number, number> }> {
  const target = await newTarget(base, returnPort, '10.9.0.1');
  const statuses = new Map<number, number>();
  const exceeded: string[] = [];
  const inputs = createHostileInputs(LENGTH);
  for (const { name, send } of inputs) {
    let status = 0;
    let shortest = Number.POSITIVE_INFINITY;
    for (let i = 0; i < ATTEMPTS && shortest > limitMs; i++) {
      shortest = Math.min(
        shortest,
        await measure(name, async () => {
          status = await send(target);
          await setTimeout(SETTLE_MS);
        }),
      );
    }
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (shortest > limitMs) exceeded.push(`${name}: ${shortest} ms`);
  }
  return { asked: inputs.length, over: exceeded, statuses };
}

/**
 * Measures the median response time, in milliseconds, of one account's cheap calls, before and
 * while another account makes expensive calls.
 */
export async function measureBesideCostly(base: string) {
  const costly = await newTarget(base, 0, '10.9.0.2');
  const quiet = await newTarget(base, 0, '10.9.0.3');
  const html = `<style>p{color:red}</style>${'<p><a href="https://shop.example/x">x</a></p>'.repeat(3_000)}`;
  const medianBefore = await median(quiet);
  const url = `/client-api/api/campaigns/${costly.campaign}/preview`;
  const conditions = [{ type: 'email_status', operator: 'is', operand: 'active' }];
  const calls = Promise.all(
    Array.from({ length: COSTLY_CALLS }, (_, i) =>
      i % 4 === 3
        ? costly.call('POST', '/client-api/api/filters/preview', { conditions })
        : costly.call('POST', url, { editor: 'html', html }),
    ),
  );
  await setTimeout(BETWEEN_MS);
  const during = await median(quiet);
  const statuses = await calls;
  return { before: medianBefore, during, done: statuses.filter((status) => status === 200).length };
}

async function median({ call, campaign }: HostileTarget): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < SAMPLES; i++) {
    const startedAt = performance.now();
    if (i % 2 === 0) await call('GET', '/client-api/api/tags');
    else await call('GET', `/client-api/api/campaigns/${campaign}`);
    times.push(performance.now() - startedAt);
    await setTimeout(BETWEEN_MS);
  }
  return times.toSorted((a, b) => a - b)[SAMPLES >> 1] as number;
}

async function newTarget(
  base: string,
  returnPort: number,
  clientIp: string,
): Promise<HostileTarget> {
  const owner = await newOwner(base, clientIp);
  const created = await json(base, owner, '/client-api/api/campaigns', { title: 'Hostile' });
  const { token } = await json(base, owner, '/client-api/api/tokens', {
    title: 'Hostile',
    validity_days: null,
  });
  const callApi = async (
    method: string,
    url: string,
    headers: Record<string, string>,
    body?: BodyInit,
  ) => {
    const response = await fetch(`${base}${url}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(CALL_MS),
    }).catch(() => undefined);
    await response?.arrayBuffer().catch(() => {});
    return response?.status ?? 0;
  };
  const asJson = (body: unknown) => (body === undefined ? undefined : JSON.stringify(body));
  const jsonHeaders = { 'content-type': 'application/json' };
  return {
    campaign: created.id as string,
    call: (method, url, body) =>
      callApi(
        method,
        url,
        body === undefined ? owner.headers : { ...owner.headers, ...jsonHeaders },
        asJson(body),
      ),
    callByToken: (method, url, body) =>
      callApi(method, url, { authorization: `Bearer ${token}`, ...jsonHeaders }, asJson(body)),
    upload: (url, name, bytes) => {
      const form = new FormData();
      form.set('file', new Blob([new Uint8Array(bytes)]), name);
      return callApi('POST', url, owner.headers, form);
    },
    ...(returnPort > 0 && { sendEmail: (bytes: Buffer) => sendEmail(returnPort, bytes) }),
  };
}

async function json(base: string, owner: BenchOwner, url: string, body: unknown) {
  const response = await fetch(`${base}${url}`, {
    method: 'POST',
    headers: { ...owner.headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { data } = (await response.json()) as { data: Record<string, unknown> };
  return data;
}

/**
 * Sends an email by SMTP to an address of the return path and returns the code of the last reply.
 */
async function sendEmail(port: number, bytes: Buffer): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  const lines = socket.setEncoding('latin1')[Symbol.asyncIterator]();
  const reply = async () => {
    const { value } = (await lines.next()) as { value?: string };
    return Number(/^(\d{3})/.exec(value?.trimEnd().split('\r\n').at(-1) ?? '')?.[1] ?? 0);
  };
  const timer = AbortSignal.timeout(CALL_MS);
  timer.addEventListener('abort', () => socket.destroy());
  try {
    await reply();
    for (const line of [
      'EHLO a.example',
      'MAIL FROM:<>',
      'RCPT TO:<abuse@bounces.example>',
      'DATA',
    ]) {
      socket.write(`${line}\r\n`);
      await reply();
    }
    socket.write(bytes.toString('latin1').replace(/^\./gm, '..'), 'latin1');
    socket.write('\r\n.\r\n');
    return await reply();
  } catch {
    return 0;
  } finally {
    socket.destroy();
  }
}
