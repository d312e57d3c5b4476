// Preloaded into the web process: kills it during its first payment, at the step that KILL_PAYING
// names.
import pg from 'pg';

const step = process.env.KILL_PAYING;
const die = () => process.kill(process.pid, 'SIGKILL');
let isAnswered = false;

const originalFetch = globalThis.fetch;
globalThis.fetch = async (input, init) => {
  const isCharge = String(input).endsWith('/gateway/api/charges') && init?.method === 'POST';
  if (!isCharge) return originalFetch(input, init);
  if (step === 'before the call') die();
  // After a second the gateway has charged the card but still delays its response.
  if (step === 'during the call') setTimeout(die, 1_000);
  const response = await originalFetch(input, init);
  if (step === 'after the answer') die();
  isAnswered = true;
  return response;
};

type Query = (this: pg.Client, query: unknown, ...args: unknown[]) => unknown;
const query = pg.Client.prototype.query as unknown as Query;
pg.Client.prototype.query = function (this: pg.Client, statement: unknown, ...args: unknown[]) {
  const text =
    typeof statement === 'string' ? statement : ((statement as { text?: string }).text ?? '');
  const isCommit = isAnswered && /^\s*commit\b/i.test(text);
  if (isCommit && step === 'before the commit') die();
  const result = query.call(this, statement, ...args);
  if (isCommit && step === 'after the commit' && result instanceof Promise) void result.then(die);
  return result;
} as typeof pg.Client.prototype.query;
