// Runs a tool, which makes its API calls as the caller, within the budgets of the day.
import { createHash, randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { acceptsKey, type Call } from '#platform/contract.ts';
import { rightOf, type Right } from '#platform/rights.ts';
import { clock } from '#platform/server/clock.ts';
import { AppError } from '#platform/server/errors.ts';
import { errorBody } from '#platform/server/http/errors.ts';
import { innerCall } from '#platform/server/http/inner-call.ts';
import type { Caller } from '#platform/server/http/serve.ts';
import { type AgentRight, MAX_ANSWER_BYTES, MAX_ROWS } from '../../shared.ts';
import { keyOfAct, type Spent, spend } from '../agents.sql.ts';
import { callerKey } from '../caller.ts';
import {
  type CallInput,
  type CallName,
  pageFrom,
  pageOfCursor,
  type Row,
  type Tool,
} from './tool.ts';

/** Calls with equal arguments within this time are one act. */
const SAME_ACT_MS = 120_000;
const BASE = '/client-api/api';

/** An error of the API, in the form that the assistant reads. */
export class ToolError extends Error {
  readonly answer: Row;
  constructor(answer: Row) {
    super(String(answer.message));
    this.answer = answer;
  }
}

const HINTS: Record<string, string> = {
  missing_right: 'Ask the user for a token or connection with this right.',
  stale_revision: 'The draft has changed. Read it again and repeat with its revision.',
  not_found: 'Find the ID with search or a list tool.',
  too_many_requests: 'Wait for the seconds in retry_after.',
  work_too_heavy: 'Narrow the conditions or the period.',
  budget_used: 'Tell the user; the budget is renewed at midnight UTC.',
};

export type Running = { app: FastifyInstance; request: FastifyRequest; caller: Caller };

/** Returns the contract of a call. The contracts of each tool are checked at startup. */
export function contractOf(app: FastifyInstance, name: CallName): Call {
  const [method, path] = name.split(' ') as [string, string];
  const call = app.calls.get(`${method} ${BASE}${path}`);
  if (!call) throw new Error(`Unknown call: ${name}`);
  return call;
}

/**
 * Rights are cached, because calls do not change once they are registered, and reading their rights
 * took 0.2 ms of a request.
 */
const cachedRights = new WeakMap<FastifyInstance['calls'], Map<Tool, readonly AgentRight[]>>();

/**
 * Returns the rights of a tool: those of its calls, and those of requesting the calls that it
 * proposes.
 */
export function rightsOfTool(app: FastifyInstance, tool: Tool): readonly AgentRight[] {
  const known = cachedRights.get(app.calls) ?? new Map<Tool, readonly AgentRight[]>();
  cachedRights.set(app.calls, known);
  const rights = known.get(tool) ?? readRights(app, tool);
  known.set(tool, rights);
  return rights;
}

function readRights(app: FastifyInstance, tool: Tool): AgentRight[] {
  const rights = tool.calls.flatMap((name) => rightOf(contractOf(app, name)) ?? []);
  const askers = (tool.proposes ?? []).map((name) => {
    const { approvable } = contractOf(app, name);
    if (!approvable) throw new Error(`${name} cannot be proposed`);
    return approvable.asker;
  });
  return [...new Set([...rights, ...askers] as AgentRight[])].sort();
}

export function mayUse(app: FastifyInstance, tool: Tool, rights: ReadonlySet<Right>): boolean {
  return rightsOfTool(app, tool).every((right) => rights.has(right));
}

/**
 * Runs a tool with validated input.
 * @throws ToolError
 */
export async function runTool(tool: Tool, input: Row, running: Running): Promise<Row> {
  try {
    const counted = addToBudget(running, { calls: 1 });
    if (tool.kind === 'read') return limitSize(await readWhile(counted, tool, input, running));
    await counted;
    await addToBudget(running, { [tool.kind]: 1 });
    const key = await actKey(tool, input, running);
    return limitSize(await tool.run(input, callsOf(tool, running, { key, counted })));
  } catch (error) {
    if (error instanceof AppError) throw new ToolError(errorAnswer(error, running.caller));
    throw error;
  }
}

/** Reads while the call is counted. What was read is shown only if the budget allowed the call. */
async function readWhile(
  counted: Promise<void>,
  tool: Tool,
  input: Row,
  running: Running,
): Promise<Row> {
  const [budget, answer] = await Promise.allSettled([
    counted,
    tool.run(input, callsOf(tool, running, { key: undefined, counted })),
  ]);
  if (budget.status === 'rejected') throw budget.reason;
  if (answer.status === 'rejected') throw answer.reason;
  return answer.value;
}

async function addToBudget({ app, caller }: Running, spent: Spent): Promise<void> {
  const key = { accountId: caller.accountId, caller: callerKey(caller) };
  if (await spend(app.db, key, spent, clock.now())) return;
  const until = new Date(clock.now());
  until.setUTCHours(24, 0, 0, 0);
  const [budget] = Object.keys(spent);
  const renewed = until.toISOString();
  throw new AppError('budget_used', {
    values: { until: renewed },
    extra: { budget, until: renewed },
  });
}

/**
 * Returns the idempotency key of an act: the assistant's own, or one for equal arguments within two
 * minutes.
 */
async function actKey(tool: Tool, input: Row, { app, caller }: Running): Promise<string> {
  const ownKey = input.idempotency_key;
  const hash = createHash('sha256')
    .update(JSON.stringify([tool.name, input]))
    .digest();
  if (typeof ownKey === 'string')
    return createHash('sha256')
      .update(`${callerKey(caller)} ${tool.name} ${ownKey}`)
      .digest('base64url');
  const at = clock.now();
  return keyOfAct(
    app.db,
    { accountId: caller.accountId, caller: callerKey(caller) },
    { hash, key: randomUUID(), at, since: new Date(at.getTime() - SAME_ACT_MS) },
  );
}

type Acting = { key: string | undefined; counted: Promise<void> };

function callsOf(tool: Tool, running: Running, { key, counted }: Acting) {
  const { calls, optional = [], proposes = [] } = tool;
  const allowed = new Set([...calls, ...optional, ...proposes]);
  let made = 0;
  const answerOf = async (name: CallName, input: CallInput = {}): Promise<Row> => {
    if (!allowed.has(name)) throw new Error(`${tool.name} does not list ${name}`);
    const call = contractOf(running.app, name);
    const { app, request, caller } = running;
    made += 1;
    const { status, body } = await innerCall(app, request, caller, {
      name: `${call.method} ${call.path}`,
      ...textsOf(input),
      body: input.body ?? (call.body ? {} : undefined),
      idempotencyKey: key !== undefined && acceptsKey(call) ? `mcp-${key}-${made}` : undefined,
    });
    if (status >= 400) throw new ToolError(withHint(body as Row));
    return Object(body) as Row;
  };
  return {
    call: async (name: CallName, input?: CallInput) => {
      const body = await answerOf(name, input);
      return (body.data ?? body) as Row;
    },
    propose: async (name: CallName, input: CallInput) => {
      const query = { ask: 1, note: input.query?.note || undefined };
      try {
        await answerOf(name, { ...input, query });
      } catch (error) {
        const { code, approval } = error instanceof ToolError ? error.answer : {};
        if (code === 'approval_requested') return String(approval);
        throw error;
      }
      throw new Error(`${name} was made instead of requested`);
    },
    list: async (name: CallName, input: CallInput, cursor: string | undefined) => {
      const page = pageOfCursor(cursor);
      const query = { ...input.query, page, limit: MAX_ROWS };
      const { data, meta } = await answerOf(name, { ...input, query });
      const rows = data as Row[];
      return pageFrom(rows, Number((meta as Row | undefined)?.total ?? rows.length), page);
    },
    may: (name: CallName) => {
      const right = rightOf(contractOf(running.app, name));
      return right === undefined || running.caller.rights.has(right);
    },
    spend: async (budget: 'people' | 'emails', amount: number) => {
      // A call that exceeds its own budget uses no other budget.
      await counted;
      await addToBudget(running, { [budget]: amount });
    },
  };
}

const PARAMETER = /^[\w-]+$/;

/** Parameters and query as in a URL: texts only, without undefined values. */
function textsOf({ params = {}, query = {} }: CallInput) {
  for (const value of Object.values(params))
    if (!PARAMETER.test(value)) throw new AppError('not_found');
  const defined = Object.entries(query).filter(([, value]) => value !== undefined);
  return {
    params,
    query: Object.fromEntries(defined.map(([name, value]) => [name, String(value)])),
  };
}

const withHint = (body: Row): Row => {
  const { code, message, errors, right, findings, budget, until, approval } = body;
  return Object.fromEntries(
    Object.entries({
      ...{ code, message, fields: errors, right, findings, budget, until, approval },
      hint: HINTS[String(code)],
      retry_after: code === 'too_many_requests' ? 1 : undefined,
    }).filter(([, value]) => value !== undefined),
  );
};

const errorAnswer = (error: AppError, { language }: Caller) =>
  withHint({ ...errorBody(error, ['agents'], language) });

/**
 * Replaces an answer beyond the limit by its counts, so that the assistant sends a narrower
 * request.
 */
function limitSize(answer: Row): Row {
  const bytes = Buffer.byteLength(JSON.stringify(answer));
  if (bytes <= MAX_ANSWER_BYTES) return answer;
  const counts = Object.fromEntries(
    Object.entries(answer)
      .filter(([, value]) => Array.isArray(value))
      .map(([name, value]) => [name, (value as unknown[]).length]),
  );
  return {
    is_too_large: true,
    bytes,
    counts,
    hint: 'Narrow by search, period or a single object.',
  };
}
