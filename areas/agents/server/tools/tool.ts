// A tool: one or more API calls under one name, with input and results that suit an assistant. A
// tool has no rules of its own: validation, rights, limits, idempotency and audit are those of its
// calls.
import type { z } from 'zod';
import { ROWS } from '../../shared.ts';

export type Row = Record<string, unknown>;

/** The input of a call, as the API takes it. */
export type CallInput = {
  params?: Record<string, string>;
  query?: Record<string, string | number | boolean | undefined>;
  body?: Row;
};

export type Calls = {
  /** Runs a call that the tool lists; the answer's `data`, or the answer without an envelope. */
  call(name: CallName, input?: CallInput): Promise<Row>;
  /** Files a call that the tool proposes as a request for approval; returns its id. */
  propose(name: CallName, input: CallInput): Promise<string>;
  /** One page of a list. */
  list(name: CallName, input: CallInput, cursor: string | undefined): Promise<Page>;
  /** Whether the caller has the right of a call: for parts of an answer. */
  may(name: CallName): boolean;
  /** Takes from a budget of the day, before its results are shown. */
  spend(budget: 'people' | 'emails', amount: number): Promise<void>;
};

export type Page = { rows: Row[]; total: number; next_cursor: string | null };

/** Method and path below the client API. */
export type CallName = `${'GET' | 'POST' | 'PUT' | 'PATCH'} /${string}`;

export type Tool = {
  name: string;
  title: string;
  description: string;
  input: z.ZodObject;
  /** The calls that it always makes: their rights are the tool's. */
  calls: readonly CallName[];
  /** Calls that a user has to approve: they are filed as requests, never made. */
  proposes?: readonly CallName[];
  /** Calls for optional parts of the answer, left out if the caller lacks their right. */
  optional?: readonly CallName[];
  /** read: changes nothing. Others count against the budget of that name. */
  kind: 'read' | 'drafts' | 'proposals';
  run(input: Row, calls: Calls): Promise<Row>;
};

type TypedTool<Input extends z.ZodObject> = Omit<Tool, 'input' | 'run'> & {
  input: Input;
  run(input: z.output<Input>, calls: Calls): Promise<Row>;
};

/** The SDK validates input with the tool's schema before it runs the tool. */
export const defineTool = <Input extends z.ZodObject>(tool: TypedTool<Input>): Tool =>
  tool as unknown as Tool;

/** The given properties of a row, if it has them. */
export function pick(row: unknown, ...names: readonly string[]): Row {
  const source = Object(row) as Row;
  return Object.fromEntries(
    names.filter((name) => source[name] !== undefined).map((name) => [name, source[name]]),
  );
}

export const rowsOf = (value: unknown): Row[] => (Array.isArray(value) ? (value as Row[]) : []);

/** The page number of a cursor; 1 for any other text. */
export function pageOf(cursor: string | undefined): number {
  const page = Number(/^page-(\d{1,6})$/.exec(cursor ?? '')?.[1] ?? 1);
  return page >= 1 ? page : 1;
}

export function pageFrom(rows: Row[], total: number, page: number): Page {
  return { rows, total, next_cursor: page * ROWS < total ? `page-${page + 1}` : null };
}
