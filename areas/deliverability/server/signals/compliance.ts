// Gmail's verdict on its requirements for senders, which Postmaster Tools reports per domain.
// https://developers.google.com/workspace/gmail/postmaster/reference/rest/v2/domains/getComplianceStatus
import { z } from 'zod';
import {
  COMPLIANCE_REASONS,
  type ComplianceReason,
  type Requirement,
  REQUIREMENTS,
} from '../../signals-shared.ts';

export type ComplianceVerdict = {
  requirement: Requirement;
  isMet: boolean;
  reason: ComplianceReason | null;
};

const Status = z.object({ status: z.string().nullish() }).nullish();
const Verdict = z.object({ status: Status, reason: z.string().nullish() }).nullish();
const ComplianceData = z
  .object({
    rowData: z.array(z.object({ requirement: z.string().nullish(), status: Status })).nullish(),
    oneClickUnsubscribeVerdict: Verdict,
    honorUnsubscribeVerdict: Verdict,
  })
  .nullish();
/** A response in another form is treated as no data. */
export const ComplianceStatus = z
  .object({
    /** The verdicts on the registrable domain. */
    complianceData: ComplianceData,
    /** The verdicts on the subdomain, if Gmail has separate data about it. */
    subdomainComplianceData: ComplianceData,
  })
  .catch({});

const IS_MET: Readonly<Record<string, boolean>> = { COMPLIANT: true, NEEDS_WORK: false };
const REQUIREMENT_SET: ReadonlySet<string> = new Set(REQUIREMENTS);
const REASONS: ReadonlySet<string> = new Set(COMPLIANCE_REASONS);

/** Reads the verdicts and ignores unknown requirements and states. */
export function readVerdicts(
  complianceStatus: z.infer<typeof ComplianceStatus>,
): ComplianceVerdict[] {
  const subdomainVerdicts = readDataVerdicts(complianceStatus.subdomainComplianceData);
  return subdomainVerdicts.length > 0
    ? subdomainVerdicts
    : readDataVerdicts(complianceStatus.complianceData);
}

function readDataVerdicts(data: z.infer<typeof ComplianceData>): ComplianceVerdict[] {
  const rows = data?.rowData ?? [];
  // Gmail reports the verdicts about unsubscribing both as rows and, with a reason, separately. The
  // separate ones come last, because a later verdict replaces an earlier one.
  const requirementStates = [
    ...rows.map(({ requirement, status }) => ({ requirement, status, reason: undefined })),
    { requirement: 'ONE_CLICK_UNSUBSCRIBE', ...data?.oneClickUnsubscribeVerdict },
    { requirement: 'HONOR_UNSUBSCRIBE', ...data?.honorUnsubscribeVerdict },
  ];
  const verdicts = new Map<Requirement, ComplianceVerdict>();
  for (const { requirement, status, reason } of requirementStates) {
    const name = requirement?.toLowerCase() ?? '';
    const isMet = IS_MET[status?.status ?? ''];
    if (!REQUIREMENT_SET.has(name) || isMet === undefined) continue;
    const cause = reason?.toLowerCase() ?? '';
    verdicts.set(name as Requirement, {
      ...{ requirement: name as Requirement, isMet },
      reason: !isMet && REASONS.has(cause) ? (cause as ComplianceReason) : null,
    });
  }
  return [...verdicts.values()];
}
