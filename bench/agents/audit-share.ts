// Measures the time that the audit row adds to the most frequent write, creating or updating a
// subscriber by the public API. Short blocks of calls with and without the row are compared in
// pairs, in one process over the same connections: a slow moment of the machine affects few pairs,
// so the median difference varies less than with long rounds.
import type { FastifyInstance } from 'fastify';
import type { Measurement } from './figure.ts';
import { median, medianInterval } from '../kit/figures.ts';
import { newOwner, type BenchOwner } from '../kit/owner.ts';
import { type ApiCall, createApiCall, createToken } from './clients.ts';

const MAX_SHARE = 5;
const CONCURRENCY = 8;
const CALLS_PER_BLOCK = 40;
const PAIRS_PER_ROUND = 36;
/** A token may make 300 calls a minute. */
const PAIRS_PER_TOKEN = 3;
const WARM_UP_PAIRS = 12;

type BenchProduct = { app: FastifyInstance; base: string };

export async function measureAuditShare(product: BenchProduct, { rounds }: { rounds: number }) {
  const { app, base } = product;
  const call = app.calls.get('POST /v2/subscribers') as { audit?: unknown };
  const declaredAudit = call.audit;
  const owner = await newOwner(base);
  const runBlock = subscriberBlocks();
  const timedBlock = (save: ApiCall, isAudited: boolean) => {
    call.audit = isAudited ? declaredAudit : 'none';
    return runBlock(save);
  };
  const ratios: number[] = [];
  const unauditedMs: number[] = [];
  let save: ApiCall | undefined;
  for (let i = 0; i < WARM_UP_PAIRS + rounds * PAIRS_PER_ROUND; i++) {
    if (!save || i % PAIRS_PER_TOKEN === 0) save = await subscriberCaller(base, owner);
    // The order alternates, so that neither kind always follows the other.
    const isFirst = i % 2 === 0;
    const firstMs = await timedBlock(save, isFirst);
    const second = await timedBlock(save, !isFirst);
    const [audited, plain] = isFirst ? [firstMs, second] : [second, firstMs];
    if (i < WARM_UP_PAIRS) continue;
    ratios.push((audited / plain - 1) * 100);
    unauditedMs.push(plain);
  }
  call.audit = declaredAudit;
  return shareFigure(ratios, unauditedMs);
}

function shareFigure(ratios: readonly number[], unauditedMs: readonly number[]): Measurement {
  const value = median(ratios);
  const [low, high] = medianInterval(ratios).map((ratio) => ratio.toFixed(1));
  console.log(`audit share: ${low} to ${high} % with 95 % confidence, ${ratios.length} pairs`);
  return {
    name: 'audit row on POST /v2/subscribers',
    ...{ value, unit: '%', max: MAX_SHARE },
    baseline: { value: median(unauditedMs), ratio: 1 + value / 100 },
  };
}

/**
 * Creates a caller with a token that has been used, so that no block contains its first
 * authentication.
 */
async function subscriberCaller(base: string, owner: BenchOwner): Promise<ApiCall> {
  const token = await createToken(base, owner, ['people', 'people.change']);
  const call = createApiCall(base, { authorization: `Bearer ${token}` });
  await call('GET', '/v2/subscribers?limit=1');
  return call;
}

/** Returns a function that makes the calls of one block and returns the milliseconds per call. */
function subscriberBlocks(): (save: ApiCall) => Promise<number> {
  let callCount = 0;
  return async (save) => {
    let remaining = CALLS_PER_BLOCK;
    const work = async () => {
      while (remaining-- > 0) {
        // Every other call is an update.
        const number = Math.floor(callCount++ / 2);
        const body = { email: `person${number}@bench.example`, firstname: `Name ${callCount}` };
        await save('POST', '/v2/subscribers', body);
      }
    };
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
    return (performance.now() - startedAt) / CALLS_PER_BLOCK;
  };
}
