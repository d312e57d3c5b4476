// The links of an SMS and their clicks.
import { useParam } from '#platform/web/hooks/use-param.ts';
import { CampaignLinks } from './report-links.tsx';
import { ReportPage } from './report-page.tsx';

export default function ReportClicks() {
  const id = useParam('sms');
  return (
    <ReportPage id={id} view="clicks">
      {() => <CampaignLinks id={id} />}
    </ReportPage>
  );
}
