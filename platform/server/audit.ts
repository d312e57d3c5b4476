// Actions of users and programs, for the audit log. Each successful call that changes something or
// returns a file announces one action, in the call's transaction if it has one; areas add the
// changed values.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyRequest } from 'fastify';
import type { Call } from '../contract.ts';
import { isId } from '../ids.ts';
import { getRight } from '../rights.ts';
import { defineEvent } from './events.ts';
import type { Caller, Route } from './http/serve.ts';

/**
 * Values before and after a change (never values of subscribers), the public id of the changed
 * object, and the number of changed objects.
 */
type Change = { before?: unknown; after?: unknown; subject?: string; count?: number };

export type AuditedAction = {
  accountId: number;
  userId: number | null;
  via: Caller['via'] | 'system';
  /** The session, API token or grant of an assistant; null for the product itself. */
  viaId: number | null;
  ip: string | null;
  /** `<area>.<call>`. */
  action: string;
  /** Public id of the object; null if it is the account or a set. */
  subject: string | null;
  /** Names of the fields that the request set. */
  fields: string[];
  change: Change;
};

export const actionAudited = defineEvent<AuditedAction>('acted');

const current = new AsyncLocalStorage<{ change: Change }>();

/** Adds changed values to the audit entry of the current call; does nothing outside a call. */
export function recordChange(change: Change): void {
  const call = current.getStore();
  if (call) Object.assign(call.change, change);
}

/** Eight digits or more, as in a phone number in any notation. */
const LONG_NUMBER = /\+?\d(?:[\s().-]*\d){7,}/g;
const DAY = /^(?:\d{4}[.-]\d{2}[.-]\d{2}|\d{2}[.-]\d{2}[.-]\d{4})$/;

/**
 * Replaces possible email addresses and phone numbers in a text with an ellipsis. Recorded actions
 * are never updated, so the address of an erased subscriber would remain in them.
 */
export const auditedText = (text: string): string =>
  text
    .split(' ')
    .map((word) => (word.includes('@') ? '…' : word))
    .join(' ')
    .replace(LONG_NUMBER, (number) => (DAY.test(number) ? number : '…'));

/** Names of recorded values that users write as free text. */
const FREE_TEXTS = new Set(['title', 'subject', 'reason', 'note', 'description']);

const auditedTexts = (values: unknown): unknown =>
  JSON.parse(
    JSON.stringify(values, (name, value: unknown) =>
      FREE_TEXTS.has(name) && typeof value === 'string' ? auditedText(value) : value,
    ),
  );

/** Returns the change without addresses in free texts, at any depth. */
const withAuditedTexts = (change: Change): Change => ({
  ...change,
  ...(change.before !== undefined && { before: auditedTexts(change.before) }),
  ...(change.after !== undefined && { after: auditedTexts(change.after) }),
});

const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Returns true for calls that change something or return files. */
export function isAudited(call: Call): boolean {
  if (call.caller !== 'account' || call.audit === 'none') return false;
  const right = getRight(call);
  if (right === 'export') return isExport(call);
  // Calls that need only the right `read` are treated as changes if they name recorded values.
  return WRITES.has(call.method) && (right !== 'read' || Array.isArray(call.audit));
}

/** Calls that return files declare no response; lists of exports do. */
const isExport = (call: Call) => WRITES.has(call.method) || call.response === undefined;

/** Path parameters that may be a subscriber's email address or phone number. */
const PERSONAL_PARAMETERS = new Set(['who', 'address']);

function subjectOf(params: unknown, response: unknown): string | null {
  const namedParams = Object.entries((params ?? {}) as Record<string, unknown>);
  const ids = namedParams.flatMap(([name, value]) =>
    PERSONAL_PARAMETERS.has(name) ? [] : idsIn(value),
  );
  const data = (response as { data?: unknown } | undefined)?.data;
  const createdIds = [response, data].flatMap((part) =>
    idsIn((part as { id?: unknown } | null)?.id),
  );
  return ids.at(-1) ?? createdIds[0] ?? null;
}

const idsIn = (value: unknown) => (typeof value === 'string' && isId(value) ? [value] : []);

type Input = { caller: Caller; request: FastifyRequest; body: unknown };

/** Values of the body that the contract names. */
function valuesOf(call: Call, body: Record<string, unknown>): Change {
  if (!Array.isArray(call.audit)) return {};
  const auditedValues = Object.entries(body).filter(([name]) => call.audit?.includes(name));
  return auditedValues.length === 0 ? {} : { after: Object.fromEntries(auditedValues) };
}

/** The number of objects that a request names. */
const countOf = (ids: unknown): Change => (Array.isArray(ids) ? { count: ids.length } : {});

/**
 * Runs a call and announces its action. `announce` gets the action once the call has succeeded. The
 * action's object is the one recorded by the area, or else the one in the path or the response.
 */
export async function withAuditedAction<Result>(
  route: Route,
  { caller, request, body }: Input,
  run: () => Promise<Result>,
  announce: (action: AuditedAction) => Promise<void>,
): Promise<Result> {
  const change: Change = {};
  const response = await current.run({ change }, run);
  const plainBody = (body ?? {}) as Record<string, unknown>;
  const typedBody = Object(request.body ?? {}) as object;
  await announce({
    accountId: caller.accountId,
    userId: caller.userId,
    via: caller.via,
    viaId: caller.sessionId,
    ip: request.ip,
    action: `${route.area}.${route.name}`,
    subject: change.subject ?? subjectOf(request.params, response),
    // Omits fields that the contract filled with defaults, because the request did not set them.
    fields: Object.keys(plainBody)
      .filter((name) => Object.hasOwn(typedBody, name))
      .sort(),
    change: withAuditedTexts({
      ...countOf(plainBody.ids ?? plainBody.subscribers),
      ...valuesOf(route.call, plainBody),
      ...change,
    }),
  });
  return response;
}
