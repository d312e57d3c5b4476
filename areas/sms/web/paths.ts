// The path of an SMS campaign: a draft at its next step, a scheduled or running one at its review,
// a sent one at its report.
import { isInProgress } from '#areas/broadcasts/is-sending.ts';
import type { SmsCampaign } from '../contract.ts';

export type SmsStepName = 'settings' | 'recipients' | 'review';

export function stepPath(id: string, step: SmsStepName): string {
  const pathEnds = { settings: 'edit', recipients: 'subscribers', review: 'confirm' };
  return `/sms/${id}/${pathEnds[step]}`;
}

export type ReportView =
  | 'overview'
  | 'clicks'
  | 'unsubscribes'
  | 'delivery-failed'
  | 'replies'
  | 'experiment';

export const reportPath = (id: string, view: ReportView = 'overview') =>
  `/sms/${id}/report/${view}`;

type CampaignState = Pick<SmsCampaign, 'id' | 'status' | 'last_action' | 'delivery'>;

export function smsCampaignPath(campaign: CampaignState): string {
  if (campaign.status === 'SCHEDULED' || isInProgress(campaign)) {
    return stepPath(campaign.id, 'review');
  }
  if (campaign.status === 'SENT') return reportPath(campaign.id);
  const steps = { step1: 'settings', step3: 'recipients', step4: 'review' } as const;
  return stepPath(campaign.id, steps[campaign.last_action]);
}

/**
 * Returns the path of the report on a workflow's SMS step, or on the transactional SMS with one
 * title.
 */
export const smsReportPath = (source: string, view: 'overview' | 'clicks' = 'overview') =>
  `/transactional/sms/${source}/report${view === 'clicks' ? '/clicks' : ''}`;

export const compliancePath = (phone: string) => `/sms/phone/${phone}/tcpa_and_ctia_compliance`;
