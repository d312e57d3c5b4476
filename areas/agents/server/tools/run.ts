// Runs a tool, which makes its API calls as the caller, within the budgets of the day.
import { createHash, randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { acceptsIdempotencyKey, type Call } from '#platform/contract.ts';
import { getRight, type Right } from '#platform/rights.ts';
import { clock } from '#platform/server/clock.ts';
import { AppError } from '#platform/server/errors.ts';
import { errorBody } from '#platform/server/http/errors.ts';
import { innerCall } from '#platform/server/http/inner-call.ts';
import type { Caller } from '#platform/server/http/serve.ts';
import { type AgentRight, MAX_RESPONSE_BYTES, MAX_ROWS } from '../../shared.ts';
import { resolveIdempotencyKey, type BudgetUse, spendBudget } from '../agents.sql.ts';
import { callerKey } from '../caller.ts';
import {
  type ToolCallInput,
  type ToolCallName,
  createPage,
  parseCursor,
  type ToolRow,
  type Tool,
} from './tool.ts';

/** Calls with identical arguments within this time count as one action. */
const SAME_ACT_MS = 120_000;
const BASE = '/client-api/api';

/** An error of the API, in the form that the assistant reads. */
export class ToolError extends Error {
  readonly body: ToolRow;
  constructor(body: ToolRow) {
    super(String(body.message));
    this.body = body;
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

export type ToolContext = { app: FastifyInstance; request: FastifyRequest; caller: Caller };

/** Returns the contract of a call. The contracts of each tool are checked at startup. */
export function getCallContract(app: FastifyInstance, name: ToolCallName): Call {
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
 * Returns the rights that a tool needs: for its calls, and for requesting approval of the calls it
 * proposes.
 */
export function listToolRights(app: FastifyInstance, tool: Tool): readonly AgentRight[] {
  const rightsByTool = cachedRights.get(app.calls) ?? new Map<Tool, readonly AgentRight[]>();
  cachedRights.set(app.calls, rightsByTool);
  const rights = rightsByTool.get(tool) ?? readRights(app, tool);
  rightsByTool.set(tool, rights);
  return rights;
}

function readRights(app: FastifyInstance, tool: Tool): AgentRight[] {
  const rights = tool.calls.flatMap((name) => getRight(getCallContract(app, name)) ?? []);
  const requesterRights = (tool.proposedCalls ?? []).map((name) => {
    const { approval } = getCallContract(app, name);
    if (!approval) throw new Error(`${name} cannot be proposed`);
    return approval.requesterRight;
  });
  return [...new Set([...rights, ...requesterRights] as AgentRight[])].sort();
}

export function canUseTool(app: FastifyInstance, tool: Tool, rights: ReadonlySet<Right>): boolean {
  return listToolRights(app, tool).every((right) => rights.has(right));
}

/**
 * Runs a tool with validated input.
 * @throws ToolError
 */
export async function runTool(tool: Tool, input: ToolRow, context: ToolContext): Promise<ToolRow> {
  try {
    const budgetUse = addToBudget(context, { calls: 1 });
    if (tool.kind === 'read') return limitSize(await readWhile(budgetUse, tool, input, context));
    await budgetUse;
    await addToBudget(context, { [tool.kind]: 1 });
    const key = await resolveActKey(tool, input, context);
    return limitSize(await tool.run(input, createCalls(tool, context, { key, budgetUse })));
  } catch (error) {
    if (error instanceof AppError) throw new ToolError(createErrorRow(error, context.caller));
    throw error;
  }
}

/** Reads while the call is counted. What was read is shown only if the budget allowed the call. */
async function readWhile(
  budgetUse: Promise<void>,
  tool: Tool,
  input: ToolRow,
  context: ToolContext,
): Promise<ToolRow> {
  const [budget, answer] = await Promise.allSettled([
    budgetUse,
    tool.run(input, createCalls(tool, context, { key: undefined, budgetUse })),
  ]);
  if (budget.status === 'rejected') throw budget.reason;
  if (answer.status === 'rejected') throw answer.reason;
  return answer.value;
}

async function addToBudget({ app, caller }: ToolContext, use: BudgetUse): Promise<void> {
  const key = { accountId: caller.accountId, caller: callerKey(caller) };
  if (await spendBudget(app.db, key, use, clock.now())) return;
  const renewalTime = new Date(clock.now());
  renewalTime.setUTCHours(24, 0, 0, 0);
  const [budget] = Object.keys(use);
  const renewsAt = renewalTime.toISOString();
  throw new AppError('budget_used', {
    values: { until: renewsAt },
    extra: { budget, until: renewsAt },
  });
}

/**
 * Returns the idempotency key of an action: the assistant's own, or else one shared by identical
 * calls within two minutes.
 */
async function resolveActKey(
  tool: Tool,
  input: ToolRow,
  { app, caller }: ToolContext,
): Promise<string> {
  const ownKey = input.idempotency_key;
  const hash = createHash('sha256')
    .update(JSON.stringify([tool.name, input]))
    .digest();
  if (typeof ownKey === 'string')
    return createHash('sha256')
      .update(`${callerKey(caller)} ${tool.name} ${ownKey}`)
      .digest('base64url');
  const at = clock.now();
  return resolveIdempotencyKey(
    app.db,
    { accountId: caller.accountId, caller: callerKey(caller) },
    { hash, key: randomUUID(), at, since: new Date(at.getTime() - SAME_ACT_MS) },
  );
}

type Acting = { key: string | undefined; budgetUse: Promise<void> };

function createCalls(tool: Tool, context: ToolContext, { key, budgetUse }: Acting) {
  const { calls, optionalCalls = [], proposedCalls = [] } = tool;
  const allowedCalls = new Set([...calls, ...optionalCalls, ...proposedCalls]);
  let callCount = 0;
  const makeInnerCall = async (name: ToolCallName, input: ToolCallInput = {}): Promise<ToolRow> => {
    if (!allowedCalls.has(name)) throw new Error(`${tool.name} does not list ${name}`);
    const call = getCallContract(context.app, name);
    const { app, request, caller } = context;
    callCount += 1;
    const { status, body } = await innerCall(app, request, caller, {
      name: `${call.method} ${call.path}`,
      ...toUrlInput(input),
      body: input.body ?? (call.body ? {} : undefined),
      idempotencyKey:
        key !== undefined && acceptsIdempotencyKey(call) ? `mcp-${key}-${callCount}` : undefined,
    });
    if (status >= 400) throw new ToolError(addHint(body as ToolRow));
    return Object(body) as ToolRow;
  };
  return {
    call: async (name: ToolCallName, input?: ToolCallInput) => {
      const body = await makeInnerCall(name, input);
      return (body.data ?? body) as ToolRow;
    },
    propose: async (name: ToolCallName, input: ToolCallInput) => {
      const query = { ask: 1, note: input.query?.note || undefined };
      try {
        await makeInnerCall(name, { ...input, query });
      } catch (error) {
        const { code, approval } = error instanceof ToolError ? error.body : {};
        if (code === 'approval_requested') return String(approval);
        throw error;
      }
      throw new Error(`${name} was executed although it requires approval`);
    },
    list: async (name: ToolCallName, input: ToolCallInput, cursor: string | undefined) => {
      const page = parseCursor(cursor);
      const query = { ...input.query, page, limit: MAX_ROWS };
      const { data, meta } = await makeInnerCall(name, { ...input, query });
      const rows = data as ToolRow[];
      return createPage(rows, Number((meta as ToolRow | undefined)?.total ?? rows.length), page);
    },
    isAllowed: (name: ToolCallName) => {
      const right = getRight(getCallContract(context.app, name));
      return right === undefined || context.caller.rights.has(right);
    },
    spend: async (budget: 'people' | 'emails', amount: number) => {
      // A tool call that exceeds the budget of calls must not use another budget.
      await budgetUse;
      await addToBudget(context, { [budget]: amount });
    },
  };
}

const PARAMETER = /^[\w-]+$/;

/** Converts parameters and query to URL form: strings only, without undefined values. */
function toUrlInput({ params = {}, query = {} }: ToolCallInput) {
  for (const value of Object.values(params))
    if (!PARAMETER.test(value)) throw new AppError('not_found');
  const entries = Object.entries(query).filter(([, value]) => value !== undefined);
  return {
    params,
    query: Object.fromEntries(entries.map(([name, value]) => [name, String(value)])),
  };
}

const addHint = (body: ToolRow): ToolRow => {
  const { code, message, errors, right, findings, budget, until: renewalTime, approval } = body;
  return Object.fromEntries(
    Object.entries({
      ...{ code, message, fields: errors, right, findings, budget, until: renewalTime, approval },
      hint: HINTS[String(code)],
      retry_after: code === 'too_many_requests' ? 1 : undefined,
    }).filter(([, value]) => value !== undefined),
  );
};

const createErrorRow = (error: AppError, { language }: Caller) =>
  addHint({ ...errorBody(error, ['agents'], language) });

/**
 * Replaces a response beyond the limit with its counts, so that the assistant sends a narrower
 * request.
 */
function limitSize(row: ToolRow): ToolRow {
  const bytes = Buffer.byteLength(JSON.stringify(row));
  if (bytes <= MAX_RESPONSE_BYTES) return row;
  const counts = Object.fromEntries(
    Object.entries(row)
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
