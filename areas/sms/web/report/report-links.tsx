// The links of an SMS campaign and their clicks.
import { useQuery } from '@tanstack/react-query';
import { reportPath } from '../paths.ts';
import { api } from '../queries.ts';
import { ReportLinks } from './report-parts.tsx';

export function CampaignLinks({ id }: { id: string }) {
  const links = useQuery(
    api.query('GET /client-api/api/sms/campaign/{id}/report/links', { params: { id } }),
  );
  return <ReportLinks query={links} getPath={(link) => `${reportPath(id, 'clicks')}/${link.id}`} />;
}
