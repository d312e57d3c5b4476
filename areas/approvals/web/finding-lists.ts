// Components that list the findings of kinds of requests that higher areas own; main/ registers
// them.
import type { ReactNode } from 'react';
import type { ApprovalKindName } from '../shared.ts';

type ShowFindings = (findings: readonly object[]) => ReactNode;

const offered = new Map<ApprovalKindName, ShowFindings>();

export function offerFindings(kinds: readonly ApprovalKindName[], show: ShowFindings): void {
  for (const kind of kinds) offered.set(kind, show);
}

/** Undefined for emails, whose findings are those of their content. */
export const offeredFindings = (kind: ApprovalKindName): ShowFindings | undefined =>
  offered.get(kind);
