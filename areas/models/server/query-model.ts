// One request to the account's model: shown before it is sent, bounded in time, size and tokens.
import { isIP } from 'node:net';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { log } from '#platform/server/log.ts';
import { callPublic, type OutgoingResponse } from '#platform/server/outgoing/outgoing-call.ts';
import { isPrivateAddress } from '#platform/server/outgoing/outgoing-address.ts';
import { unseal } from '#platform/server/secrets.ts';
import type { ModelCost, ModelRequest } from '../contract.ts';
import type { Protocol } from '../shared.ts';
import { type ReplyStream, createReplyStream } from './reply-stream.ts';
import { computeModelCost } from './costs.ts';
import * as store from './models.sql.ts';
import { findPersonalData } from './personal.ts';
import { bareHost, isListed, type PrivateHosts, readPrivateHosts } from './private-hosts.ts';
import {
  estimateTokens,
  type ModelResponse,
  type ModelPrompt,
  estimatePromptTokens,
  readResponse,
  writeRequest,
} from './protocols.ts';

export const KEY_PURPOSE = 'key of a language model';
const TIMEOUT_MS = 60_000;
const MAX_RESPONSE_BYTES = 1_048_576;
/** Reservations older than this are deleted: longer than a request and its settlement take. */
const RESERVED_MS = 2 * TIMEOUT_MS;

let privateHosts: PrivateHosts = [];

/** Sets the private hosts that the operator allows, for models on the same machine or network. */
export function configureModels(hosts: readonly string[]): void {
  privateHosts = readPrivateHosts(hosts);
}

/**
 * Returns whether the host is allowed. The address that a host name resolves to is checked on each
 * request to the model.
 */
export function isHostAllowed(address: string): boolean {
  const url = new URL(address);
  if (isListed(privateHosts, url)) return true;
  const host = bareHost(url);
  if (host === 'localhost' || host.endsWith('.localhost')) return false;
  return isIP(host) === 0 || !isPrivateAddress(host);
}

/** @throws model_off */
export async function findQueryModel(db: Db, accountId: number): Promise<store.ModelRow> {
  const model = await store.findModel(db, accountId);
  if (!model) throw new AppError('model_off');
  return model;
}

function buildRequest(model: store.ModelRow, prompt: ModelPrompt) {
  const key = model.key ? unseal(KEY_PURPOSE, model.key) : undefined;
  return writeRequest(model.protocol as Protocol, model.model, key, prompt);
}

/**
 * Describes the request to the user: its exact body without the key, which is in a header, and its
 * image separately.
 * @param attempts maximum number of times that the prompt is sent
 */
export function describeRequest(
  model: store.ModelRow,
  prompt: ModelPrompt,
  attempts = 1,
): ModelRequest {
  const { image } = prompt;
  const omitImage = (_: string, value: unknown) =>
    image && typeof value === 'string' && value.endsWith(image.base64)
      ? `${value.slice(0, -image.base64.length)}…`
      : value;
  return {
    host: new URL(model.address).host,
    body: JSON.stringify(buildRequest(model, prompt).body, omitImage, 2),
    personal: findPersonalData(prompt.text),
    image: image ? `data:${image.type};base64,${image.base64}` : null,
    cost: computeModelCost(model, {
      tokensIn: estimatePromptTokens(prompt) * attempts,
      tokensOut: prompt.maxTokens * attempts,
    }),
  };
}

export type ModelReply = {
  text: string;
  /** Null if the model has no prices. */
  cost: ModelCost | null;
};

export interface QueryOptions {
  /** Aborts the request to the model. */
  signal?: AbortSignal | undefined;
  /** Receives the text of a streamed response, piece by piece. */
  onText?: ((text: string) => void) | undefined;
}

/**
 * Sends the prompt and returns the model's response.
 * @throws model_limit, model_unreachable, model_refused, model_answer
 */
export async function queryModel(
  db: Db,
  model: store.ModelRow,
  prompt: ModelPrompt,
  options: QueryOptions = {},
): Promise<ModelReply> {
  const { account_id: accountId, monthly_tokens: monthlyTokens } = model;
  const at = clock.now();
  const reservation = {
    ...{ tokens: estimatePromptTokens(prompt) + prompt.maxTokens, at },
    maxTokens: monthlyTokens === null ? null : Number(monthlyTokens),
    expiresAt: new Date(at.getTime() + RESERVED_MS),
  };
  const id = await inTransaction(db, (tx) => store.reserveTokens(tx, accountId, reservation));
  if (id === undefined) throw new AppError('model_limit');
  let use: TokenUse | undefined;
  const stream = createReplyStream(model.protocol as Protocol);
  try {
    const { body, isStreamed } = await sendRequest(model, prompt, stream, options);
    // The response was generated and is counted, even if it does not follow the protocol.
    use = { tokensIn: estimatePromptTokens(prompt), tokensOut: estimateTokens(stream.text()) };
    const reply = isStreamed
      ? stream.end()
      : readResponse(model.protocol as Protocol, parseJson(body));
    if (!reply) throw new AppError('model_answer');
    use = countTokens(reply, prompt);
    if (!isStreamed) options.onText?.(reply.text);
    return { text: reply.text, cost: computeModelCost(model, use) };
  } finally {
    // The text that a stopped model had generated is counted.
    if (options.signal?.aborted || stream.text() !== '')
      use ??= { tokensIn: estimatePromptTokens(prompt), tokensOut: estimateTokens(stream.text()) };
    const settledUse = use && { ...use, cost: computeModelCost(model, use) };
    await inTransaction(db, (tx) => store.settleTokens(tx, accountId, { id, at }, settledUse));
  }
}

type TokenUse = { tokensIn: number; tokensOut: number };

/** Returns the tokens used, as counted by the model's server or else estimated from the text. */
function countTokens({ text, tokensIn, tokensOut }: ModelResponse, prompt: ModelPrompt): TokenUse {
  if (tokensIn > 0 || tokensOut > 0) return { tokensIn, tokensOut };
  return { tokensIn: estimatePromptTokens(prompt), tokensOut: estimateTokens(text) };
}

/**
 * Sends the request and returns the response body. The text of a streamed response is also added to
 * `stream`; servers without streaming send it in one piece.
 * @throws model_unreachable, model_refused
 */
async function sendRequest(
  model: store.ModelRow,
  prompt: ModelPrompt,
  stream: ReplyStream,
  { signal, onText }: QueryOptions,
): Promise<{ body: Buffer; isStreamed: boolean }> {
  const { account_id: accountId, address } = model;
  const { path, headers, body } = buildRequest(model, prompt);
  const isStream = ({
    status,
    headers: responseHeaders,
  }: Pick<OutgoingResponse, 'status' | 'headers'>) =>
    status === 200 && (responseHeaders['content-type'] ?? '').startsWith('text/event-stream');
  const response = await callPublic(`${address.replace(/(?<!\/)\/+$/, '')}${path}`, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: prompt.isStreamed ? 'text/event-stream, application/json' : 'application/json',
    },
    body: JSON.stringify(body),
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_RESPONSE_BYTES,
    isTrusted: isListed(privateHosts, new URL(address)),
    signal,
    onData: (bytes, head) => {
      const text = isStream(head) ? stream.push(bytes) : '';
      if (text !== '') onText?.(text);
    },
  }).catch((error: unknown) => {
    if (!signal?.aborted)
      log.warn('Language model is unreachable', { account: accountId, error: error as Error });
    throw new AppError('model_unreachable');
  });
  if (response.status !== 200)
    throw new AppError('model_refused', { values: { status: response.status } });
  return { body: response.body, isStreamed: isStream(response) };
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Extracts the JSON in a model's text, even inside a code fence or between sentences. */
export function extractJson(text: string): unknown {
  const start = text.search(/[[{]/);
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
  if (start < 0 || end < start) return undefined;
  return parseJson(Buffer.from(text.slice(start, end + 1)));
}
