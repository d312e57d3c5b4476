// Pauses and resumes one email campaign, on screens of higher floors; nothing while it is not under way.
import { PauseButton } from '#areas/broadcasts/web/index.ts';
import { useCampaign } from './queries.ts';
import { emailUi } from './ui.ts';

export function PauseCampaign({ id }: { id: string }) {
  const campaign = useCampaign(id);
  return campaign.data ? <PauseButton ui={emailUi} campaign={campaign.data.data} /> : null;
}
