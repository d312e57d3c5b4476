// Limits for assistants, shared by server and screens.
import type { Right } from '#platform/rights.ts';

/**
 * The rights that an assistant can use. Other rights are ignored even if its token has them: no
 * tool sends to subscribers, exports files, spends money, or changes users, tokens and settings.
 */
export const AGENT_RIGHTS = ['read', 'people', 'drafts'] as const satisfies readonly Right[];
export type AgentRight = (typeof AGENT_RIGHTS)[number];

/** Budgets per token or connected assistant and day (UTC). */
export const BUDGETS = {
  calls: 5000,
  /** The number of subscribers shown. */
  people: 500,
  drafts: 100,
  proposals: 20,
  /** The recipients of all proposals together. */
  emails: 100_000,
} as const;
export type Budget = keyof typeof BUDGETS;

/** The maximum number of rows in one response. */
export const MAX_ROWS = 20;
/** The maximum size of one response in bytes. */
export const MAX_RESPONSE_BYTES = 60_000;
/** The maximum length of one text written outside the account. */
export const MAX_UNTRUSTED = 500;
