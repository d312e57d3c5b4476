// The ceiling of an approval: the maximum number of recipients that it covers.
import type { ApprovalFacts } from './kinds.ts';

type AudienceFacts = Pick<ApprovalFacts, 'audience' | 'hasCeiling'>;

const ALLOWED_GROWTH_SHARE = 0.1;
const MIN_ALLOWED_GROWTH = 50;

/** Allows growth by a tenth, but at least by 50 recipients. */
const computeMaxRecipients = (count: number) =>
  count + Math.max(MIN_ALLOWED_GROWTH, Math.ceil(count * ALLOWED_GROWTH_SHARE));

export const getAudienceCount = ({
  audience,
}: Pick<ApprovalFacts, 'audience'>): number | undefined => audience?.count;

/**
 * Returns the maximum number of recipients that an approval given now covers; null means any
 * number.
 */
export function computeCeiling({ audience, hasCeiling }: AudienceFacts): number | null {
  return audience === null || !hasCeiling ? null : computeMaxRecipients(audience.count);
}

/**
 * Returns whether the current number of recipients is within the ceiling that follows from the
 * number shown to the approver.
 */
export function isWithinCeiling(
  { audience, hasCeiling }: AudienceFacts,
  shownCount: number | undefined,
): boolean {
  if (audience === null || !hasCeiling || shownCount === undefined) return true;
  return audience.count <= computeMaxRecipients(shownCount);
}
