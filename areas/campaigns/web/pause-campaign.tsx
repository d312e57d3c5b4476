// The button that pauses or resumes one email campaign, for screens of higher areas; renders
// nothing for a campaign that is neither being sent nor paused.
import { broadcastApi, PauseButton } from '#areas/broadcasts/web/index.ts';
import { LIST, useCampaign } from './queries.ts';

const EMAILS = { base: LIST, api: broadcastApi(LIST) };

export function PauseCampaign({ id }: { id: string }) {
  const campaign = useCampaign(id);
  return campaign.data ? <PauseButton ui={EMAILS} campaign={campaign.data.data} /> : null;
}
