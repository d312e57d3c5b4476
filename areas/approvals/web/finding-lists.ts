// The components that list the findings of requests of higher areas, such as SMS; main/ registers
// them.
import type { ReactNode } from 'react';
import type { ApprovalKindName } from '../shared.ts';

type ShowFindings = (findings: readonly object[]) => ReactNode;

const offered = new Map<ApprovalKindName, ShowFindings>();

export function offerFindings(kinds: readonly ApprovalKindName[], show: ShowFindings): void {
  for (const kind of kinds) offered.set(kind, show);
}

/**
 * Undefined for kinds without a registered component, whose findings are shown like those of an
 * email.
 */
export const offeredFindings = (kind: ApprovalKindName): ShowFindings | undefined =>
  offered.get(kind);
