// The subscribers who unsubscribed, whose SMS failed, or who replied. The last segment of the path
// selects the list.
import { useLocation } from '@tanstack/react-router';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { ReportList } from './report-list.tsx';
import { ReportPage, type ReportListView } from './report-page.tsx';
import { ReportReplies } from './report-replies.tsx';

const LISTS = {
  unsubscribes: 'unsubscribes',
  'delivery-failed': 'failed',
  replies: 'replies',
} as const;

export default function ReportSubscribers() {
  const id = useParam('sms');
  const { pathname } = useLocation();
  const view = (Object.keys(LISTS) as (keyof typeof LISTS)[]).find((key) => pathname.endsWith(key));
  const activeView = view ?? 'unsubscribes';
  return (
    <ReportPage id={id} view={activeView as ReportListView}>
      {() =>
        activeView === 'replies' ? (
          <ReportReplies id={id} />
        ) : (
          <ReportList key={activeView} id={id} listName={LISTS[activeView]} />
        )
      }
    </ReportPage>
  );
}
