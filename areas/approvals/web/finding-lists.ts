// Components that list findings of requests whose kinds belong to higher areas; main/ registers
// them.
import type { ReactNode } from 'react';
import type { ApprovalKindName } from '../shared.ts';

type ShowFindings = (findings: readonly object[]) => ReactNode;

const offered = new Map<ApprovalKindName, ShowFindings>();

export function offerFindings(kinds: readonly ApprovalKindName[], show: ShowFindings): void {
  for (const kind of kinds) offered.set(kind, show);
}

/**
 * Undefined for kinds without a component of their own: the findings of an email are those of its
 * content.
 */
export const offeredFindings = (kind: ApprovalKindName): ShowFindings | undefined =>
  offered.get(kind);
