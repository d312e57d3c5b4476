// Choices of campaigns for conditions. Campaigns are a higher area, so the wiring provides the
// query.

export type Choice = { value: string; label: string };
type CampaignChoices = (term: string, signal: AbortSignal) => Promise<Choice[]>;
export type CampaignKind = 'campaigns' | 'sms_campaigns';

const choicesByKind: Partial<Record<CampaignKind, CampaignChoices>> = {};

export function offerCampaigns(kind: CampaignKind, choices: CampaignChoices): void {
  choicesByKind[kind] = choices;
}

export const searchCampaigns = async (
  kind: CampaignKind,
  term: string,
  signal: AbortSignal,
): Promise<Choice[]> => choicesByKind[kind]?.(term, signal) ?? [];
