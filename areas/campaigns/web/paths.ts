// The path of a campaign: a draft opens at its next step, a scheduled campaign or one being sent at
// its review, and a sent campaign at its report.
import { isInProgress } from '#areas/broadcasts/is-sending.ts';
import type { Campaign } from '../contract.ts';

type CampaignState = Pick<Campaign, 'id' | 'status' | 'last_action' | 'delivery'>;

export function campaignPath(campaign: CampaignState): string {
  if (campaign.status === 'SCHEDULED' || isInProgress(campaign)) {
    return stepPath(campaign.id, 'review');
  }
  if (campaign.status === 'SENT') return reportPath(campaign.id);
  switch (campaign.last_action) {
    case 'step1':
      return stepPath(campaign.id, 'settings');
    case 'editor':
      return stepPath(campaign.id, 'design');
    case 'step3':
      return stepPath(campaign.id, 'recipients');
    default:
      return stepPath(campaign.id, 'review');
  }
}

export function reportPath(id: string, view: 'overview' | 'actions' = 'overview'): string {
  return `/campaigns/${id}/report/${view}`;
}

export const experimentPath = (id: string) => `/campaigns/${id}/experiment`;

/** Returns the path of the editor for a variant's design. */
export const variantPath = (id: string, variant: string, end = 'editor') =>
  `/campaigns/${id}/variants/${variant}/${end}`;

export type CampaignStepName = 'settings' | 'design' | 'recipients' | 'review';
export const STEP_NAMES: readonly CampaignStepName[] = [
  'settings',
  'design',
  'recipients',
  'review',
];

export function stepPath(id: string, step: CampaignStepName): string {
  const pathEnds = {
    settings: 'edit',
    design: 'editor',
    recipients: 'subscribers',
    review: 'confirm',
  };
  return `/campaigns/${id}/${pathEnds[step]}`;
}
