// A tool provides one or more API calls under one name, with input and results that suit an
// assistant. The validation, rights, limits, idempotency and audit of its calls apply. In addition,
// assistants have daily budgets, and results have a maximum size.
import type { z } from 'zod';
import { MAX_ROWS } from '../../shared.ts';

export type ToolRow = Record<string, unknown>;

/** The input of a call, in the API's format. */
export type ToolCallInput = {
  params?: Record<string, string>;
  query?: Record<string, string | number | boolean | undefined>;
  body?: ToolRow;
};

export type ToolCalls = {
  /**
   * Runs one of the calls declared in the tool's definition. Returns the `data` of the response, or
   * the whole response if it has no envelope.
   */
  call(name: ToolCallName, input?: ToolCallInput): Promise<ToolRow>;
  /** Requests approval for a call that the tool proposes and returns the ID of the request. */
  propose(name: ToolCallName, input: ToolCallInput): Promise<string>;
  /** Returns one page of a list. */
  list(name: ToolCallName, input: ToolCallInput, cursor: string | undefined): Promise<RowPage>;
  /**
   * Returns whether the caller has the right for a call. Optional parts of a response depend on
   * this.
   */
  isAllowed(name: ToolCallName): boolean;
  /** Counts the amount against a budget of the day, before the results are shown. */
  spend(budget: 'people' | 'emails', amount: number): Promise<void>;
};

export type RowPage = { rows: ToolRow[]; total: number; next_cursor: string | null };

/** The method and the path below the client API. */
export type ToolCallName = `${'GET' | 'POST' | 'PUT' | 'PATCH'} /${string}`;

export type Tool = {
  name: string;
  title: string;
  description: string;
  input: z.ZodObject;
  /** The calls that the tool may make; it needs the rights of all of them. */
  calls: readonly ToolCallName[];
  /**
   * Calls for which the tool only requests approval. A call is executed once a user has approved
   * it.
   */
  proposedCalls?: readonly ToolCallName[];
  /** Calls for optional parts of the response. The caller gets only the parts it has rights for. */
  optionalCalls?: readonly ToolCallName[];
  /** `read` changes nothing; other kinds count against the budget of the same name. */
  kind: 'read' | 'drafts' | 'proposals';
  run(input: ToolRow, calls: ToolCalls): Promise<ToolRow>;
};

type TypedTool<Input extends z.ZodObject> = Omit<Tool, 'input' | 'run'> & {
  input: Input;
  run(input: z.output<Input>, calls: ToolCalls): Promise<ToolRow>;
};

/** Defines a tool. The SDK validates input with the tool's schema before it runs the tool. */
export const defineTool = <Input extends z.ZodObject>(tool: TypedTool<Input>): Tool => tool;

/** Returns the named properties that a row has. */
export function pickProperties(row: unknown, ...names: readonly string[]): ToolRow {
  const source = Object(row) as ToolRow;
  return Object.fromEntries(
    names.filter((name) => source[name] !== undefined).map((name) => [name, source[name]]),
  );
}

export const toRows = (value: unknown): ToolRow[] =>
  Array.isArray(value) ? (value as ToolRow[]) : [];

/** Returns the page number of a cursor, or 1 for any other string. */
export function parseCursor(cursor: string | undefined): number {
  const page = Number(/^page-(\d{1,6})$/.exec(cursor ?? '')?.[1] ?? 1);
  return page >= 1 ? page : 1;
}

export function createPage(rows: ToolRow[], total: number, page: number): RowPage {
  return { rows, total, next_cursor: page * MAX_ROWS < total ? `page-${page + 1}` : null };
}
