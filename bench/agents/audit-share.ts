// Measures the time that the audit row adds to the most frequent write, which creates a subscriber
// by the public API. Rounds with and without the row alternate.
import type { FastifyInstance } from 'fastify';
import type { Figure } from './figure.ts';
import { median } from '../kit/figures.ts';
import { newOwner } from '../kit/owner.ts';
import { callsOf, tokenOf } from './clients.ts';

const MAX_SHARE = 5;
const CONCURRENCY = 8;
/** A token may make 300 calls a minute. */
const PER_TOKEN = 250;

export async function auditShare(
  { app, base }: { app: FastifyInstance; base: string },
  { rounds }: { rounds: number },
): Promise<Figure> {
  const owner = await newOwner(base);
  const call = app.calls.get('POST /v2/subscribers') as { audit?: unknown };
  const usual = call.audit;
  let callCount = 0;
  const round = async (isAudited: boolean) => {
    if (isAudited) call.audit = usual;
    else call.audit = 'none';
    const token = await tokenOf(base, owner, ['people', 'people.change']);
    const save = callsOf(base, { authorization: `Bearer ${token}` });
    let left = PER_TOKEN;
    const startedAt = performance.now();
    const work = async () => {
      while (left-- > 0) {
        // Every other call is an update.
        const number = Math.floor(callCount++ / 2);
        const body = { email: `person${number}@bench.example`, firstname: `Name ${callCount}` };
        await save('POST', '/v2/subscribers', body);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
    return (performance.now() - startedAt) / PER_TOKEN;
  };
  await round(true);
  await round(false);
  const shares: number[] = [];
  const bare: number[] = [];
  for (let i = 0; i < rounds * 3; i++) {
    // The order alternates, so that a slow moment of the machine affects both equally.
    const isFirst = i % 2 === 0;
    const first = await round(isFirst);
    const second = await round(!isFirst);
    const [audited, plain] = isFirst ? [first, second] : [second, first];
    shares.push((audited / plain - 1) * 100);
    bare.push(plain);
  }
  call.audit = usual;
  console.log(`audit share, each round: ${shares.map((share) => share.toFixed(1)).join(', ')} %`);
  const value = median(shares);
  return {
    name: 'audit row on POST /v2/subscribers',
    ...{ value, unit: '%', max: MAX_SHARE },
    baseline: { value: median(bare), ratio: 1 + value / 100 },
  };
}
