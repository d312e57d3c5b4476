// Pauses and resumes one email campaign, on screens of higher floors; empty while it is not in
// progress.
import { broadcastApi, PauseButton } from '#areas/broadcasts/web/index.ts';
import { LIST, useCampaign } from './queries.ts';

const EMAILS = { base: LIST, api: broadcastApi(LIST) };

export function PauseCampaign({ id }: { id: string }) {
  const campaign = useCampaign(id);
  return campaign.data ? <PauseButton ui={EMAILS} campaign={campaign.data.data} /> : null;
}
