// Log lines: JSON in production, readable in a terminal. They never contain passwords, tokens or
// address lists. Fields: `account`, `campaign`, `store` … are IDs; `error` is an unexpected Error,
// written with its stack; `reason` is the text of an expected failure, such as an unreachable
// server.
import { AsyncLocalStorage } from 'node:async_hooks';
import { isRepeated } from './repeated-lines.ts';

type LogLevel = 'debug' | 'info' | 'warn' | 'error';
type Fields = Record<string, unknown>;

const ORDER: Record<LogLevel | 'silent', number> = {
  debug: 0,
  info: 1,
  warn: 2,
  error: 3,
  silent: 4,
};

let minLevel: LogLevel | 'silent' = process.env.VITEST ? 'silent' : 'info';
let asJson = false;
let role = '';

export function configureLog(options: {
  level: LogLevel | 'silent';
  json: boolean;
  role: string;
}): void {
  minLevel = options.level;
  asJson = options.json;
  role = options.role;
}

const context = new AsyncLocalStorage<Fields>();

/** Adds fields to each line that `work` and its asynchronous calls write. */
export function withLogFields<T>(fields: Fields, work: () => T): T {
  return context.run({ ...context.getStore(), ...fields }, work);
}

/** Returns the ID of the request that caused the current work, including its jobs. */
export function requestId(): string | undefined {
  const id = context.getStore()?.request;
  return typeof id === 'string' ? id : undefined;
}

/**
 * Writes a line. A warning, or an error outside requests, is counted instead of written if a line
 * that differs only in its numbers was written within the last minute.
 */
function write(level: LogLevel, message: string, fields: Fields = {}): void {
  if (ORDER[level] < ORDER[minLevel]) return;
  const loggedFields = Object.fromEntries(
    Object.entries({ ...context.getStore(), ...fields }).map(([key, value]) => [
      key,
      toPlain(value),
    ]),
  );
  // All request errors are written, because each is looked up by the ID in its response.
  const isCounted = level === 'warn' || (level === 'error' && loggedFields.request === undefined);
  const writeRepeated = (repeatCount: number) =>
    writeLine(level, message, { ...loggedFields, repeated: repeatCount });
  if (isCounted && isRepeated(toRepetitionKey(level, message, loggedFields), writeRepeated)) return;
  writeLine(level, message, loggedFields);
}

/**
 * Returns a key without numbers, because lines with the same cause differ in them: ports, counts,
 * milliseconds.
 */
function toRepetitionKey(level: LogLevel, message: string, loggedFields: Fields): string {
  const text = JSON.stringify({ ...loggedFields, request: undefined });
  return `${level} ${message} ${text}`.replace(/\d+/g, '0');
}

function writeLine(level: LogLevel, message: string, loggedFields: Fields): void {
  const at = new Date().toISOString();
  const line = asJson
    ? JSON.stringify({ at, level, role, message, ...loggedFields })
    : `${at.slice(11, 19)} ${level === 'info' ? '' : `${level.toUpperCase()} `}${message}${
        Object.keys(loggedFields).length > 0 ? ` ${JSON.stringify(loggedFields)}` : ''
      }`;
  (level === 'error' || level === 'warn' ? process.stderr : process.stdout).write(`${line}\n`);
}

function toPlain(value: unknown): unknown {
  if (value instanceof Error)
    return asJson ? { message: value.message, stack: value.stack } : value.stack;
  return value;
}

type ErrorListener = (operation: string, error: unknown) => void;
const listeners = new Set<ErrorListener>();

/**
 * Calls the listener for every `log.error` with an `error` field; returns the function that removes
 * it.
 */
export function onError(listener: ErrorListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function notifyListeners(message: string, fields: Fields = {}): void {
  if (fields.error === undefined) return;
  const operation = typeof fields.url === 'string' ? `${message} ${fields.url}` : message;
  for (const listener of listeners) listener(operation, fields.error);
}

type RecentError = { message: string; text: string; count: number; at: number };

const HOUR_MS = 3_600_000;
const MAX_RECENT_ERRORS = 20;
let recent: RecentError[] = [];

/**
 * Returns the last 20 different errors of the last hour in this process, newest first, each with a
 * count.
 */
export function listRecentErrors(): readonly RecentError[] {
  recent = recent.filter(({ at }) => Date.now() - at < HOUR_MS);
  return recent;
}

function recordError(message: string, { error }: Fields = {}): void {
  const text = error instanceof Error ? error.message.slice(0, 300) : '';
  const sameError = listRecentErrors().find(
    (candidate) => candidate.message === message && candidate.text === text,
  );
  const newest = { message, text, count: (sameError?.count ?? 0) + 1, at: Date.now() };
  recent = [newest, ...recent.filter((candidate) => candidate !== sameError)].slice(
    0,
    MAX_RECENT_ERRORS,
  );
}

/** Prints a sentence to the operator at the terminal; in production it is a log line. */
export function print(sentence: string): void {
  if (asJson) write('info', sentence.trim());
  else console.log(sentence);
}

export const log = {
  debug: (message: string, fields?: Fields) => write('debug', message, fields),
  info: (message: string, fields?: Fields) => write('info', message, fields),
  warn: (message: string, fields?: Fields) => write('warn', message, fields),
  error: (message: string, fields?: Fields) => {
    write('error', message, fields);
    recordError(message, fields);
    notifyListeners(message, fields);
  },
};
