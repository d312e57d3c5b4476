// Conditions may name campaigns, whose screens stand above: the wiring says how they are asked for.

export type Choice = { value: string; label: string };
type CampaignChoices = (words: string, signal: AbortSignal) => Promise<Choice[]>;

let offered: CampaignChoices | undefined;

export function offerCampaigns(choices: CampaignChoices): void {
  offered = choices;
}

export const offeredCampaigns: CampaignChoices = async (words, signal) =>
  offered ? offered(words, signal) : [];
