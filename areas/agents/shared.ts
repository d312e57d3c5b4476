// Limits of assistants, shared by server and screens.
import type { Right } from '#platform/rights.ts';

/**
 * Rights that an assistant can use. The others are ignored even if its token has them: no tool sends
 * to subscribers, hands out files, spends money or changes users, tokens and settings.
 */
export const AGENT_RIGHTS = ['read', 'people', 'drafts'] as const satisfies readonly Right[];
export type AgentRight = (typeof AGENT_RIGHTS)[number];

/** Per token or connected assistant and day (UTC). */
export const BUDGETS = {
  calls: 5000,
  /** Subscribers shown. */
  people: 500,
  drafts: 100,
  proposals: 20,
  /** Recipients of all proposals together. */
  emails: 100_000,
} as const;
export type Budget = keyof typeof BUDGETS;

/** Rows of one answer. */
export const ROWS = 20;
/** Bytes of one answer. */
export const MAX_ANSWER_BYTES = 60_000;
/** Characters of one text that people outside the account wrote. */
export const MAX_UNTRUSTED = 500;
