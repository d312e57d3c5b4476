// The hostile inputs of testing/hostile in a short form: no input causes a failure or blocks the
// event loop.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { processReturnedEmail } from '#areas/delivery/server/feedback/index.ts';
import { type HostileTarget, createHostileInputs } from '../hostile/inputs.ts';
import { testServer } from '../setup/server.ts';
import { upload } from '../setup/upload.ts';

/** The length of each input: enough to show quadratic growth, and quick to send. */
const LENGTH = 25_000;
/**
 * A generous limit, because it includes the test's own work. bench/pauses limits real roles to 250
 * ms.
 */
const PAUSE_MS = 500;
const MIN_INPUTS = 60;

const server = await testServer({ DNS_SERVERS: '127.0.0.1:1' });
const delays = monitorEventLoopDelay({ resolution: 10 });

async function newTarget(): Promise<HostileTarget> {
  const owner = await server.owner();
  const program = server.client();
  const campaign = await owner.post('/client-api/api/campaigns', { title: 'Hostile' });
  const token = await owner.post('/client-api/api/tokens', { title: 'x', validity_days: null });
  const headers = {
    authorization: `Bearer ${token.body.data.token}`,
    'x-sendloom': '',
    'content-type': 'application/json',
  };
  const callerWith =
    (client: typeof program, extraHeaders: Record<string, string>): HostileTarget['call'] =>
    async (method, url, body) => {
      const payload = body === undefined ? {} : { payload: JSON.stringify(body) };
      return (await client.send({ method, url, headers: extraHeaders, ...payload })).status;
    };
  return {
    campaign: campaign.body.data.id,
    call: callerWith(owner, { 'content-type': 'application/json' }),
    callByToken: callerWith(program, headers),
    upload: async (url, name, bytes) => (await upload(owner, bytes, name, url)).status,
    sendEmail: async (bytes) => {
      await processReturnedEmail(server.db, { from: '', to: ['abuse@bounces.example'], bytes });
      return 250;
    },
  };
}

test('every parser handles hostile input without blocking the process', {
  timeout: 400_000,
}, async () => {
  const target = await newTarget();
  const inputs = createHostileInputs(LENGTH, true);
  const problems: string[] = [];
  delays.enable();
  for (const { name, send } of inputs) {
    let pause = Number.POSITIVE_INFINITY;
    for (let i = 0; i < 2 && pause > PAUSE_MS; i++) {
      delays.reset();
      const usageBefore = process.threadCpuUsage();
      const status = await send(target);
      const { user, system } = process.threadCpuUsage(usageBefore);
      // Other test files share the processor. A pause longer than this thread's own processor time
      // is caused by them.
      pause = Math.min(delays.max / 1e6, (user + system) / 1e3);
      if (status === 0 || status >= 500) problems.push(`${name}: ${status}`);
    }
    if (pause > PAUSE_MS) problems.push(`${name}: ${Math.round(pause)} ms`);
  }
  delays.disable();
  expect(inputs.length).toBeGreaterThanOrEqual(MIN_INPUTS);
  expect(problems).toEqual([]);
});
