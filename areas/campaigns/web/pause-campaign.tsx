// The button that pauses or resumes one email campaign, for screens of higher areas; renders
// nothing for a campaign that is neither being sent nor paused.
import { getBroadcastApi, PauseButton } from '#areas/broadcasts/web/index.ts';
import { LIST_PATH, useCampaign } from './queries.ts';

const EMAILS = { base: LIST_PATH, api: getBroadcastApi(LIST_PATH) };

export function PauseCampaign({ id }: { id: string }) {
  const campaign = useCampaign(id);
  return campaign.data ? <PauseButton ui={EMAILS} campaign={campaign.data.data} /> : null;
}
