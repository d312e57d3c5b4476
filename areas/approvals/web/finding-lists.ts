// The components that list the findings of requests of higher areas, such as SMS; main/ registers
// them.
import type { ReactNode } from 'react';
import type { ApprovalKindName } from '../shared.ts';

type ShowFindings = (findings: readonly object[]) => ReactNode;

const componentByKind = new Map<ApprovalKindName, ShowFindings>();

export function registerFindings(kinds: readonly ApprovalKindName[], show: ShowFindings): void {
  for (const kind of kinds) componentByKind.set(kind, show);
}

/**
 * Returns undefined for kinds without a registered component; their findings are shown like email
 * findings.
 */
export const getFindingsComponent = (kind: ApprovalKindName): ShowFindings | undefined =>
  componentByKind.get(kind);
