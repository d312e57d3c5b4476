// Choices of campaigns for conditions. Campaigns are a higher area, so the wiring provides the
// query.

export type CampaignChoice = { value: string; label: string };
type CampaignChoices = (term: string, signal: AbortSignal) => Promise<CampaignChoice[]>;
export type CampaignKind = 'campaigns' | 'sms_campaigns';

const choicesByKind: Partial<Record<CampaignKind, CampaignChoices>> = {};

export function offerCampaigns(kind: CampaignKind, choices: CampaignChoices): void {
  choicesByKind[kind] = choices;
}

export const searchCampaigns = async (
  kind: CampaignKind,
  term: string,
  signal: AbortSignal,
): Promise<CampaignChoice[]> => choicesByKind[kind]?.(term, signal) ?? [];
