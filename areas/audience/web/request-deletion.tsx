// In place of deleting subscribers, for users without the right: a request for approval.
import { Suspense } from 'react';
import { RequestApproval } from '#areas/approvals/web/index.ts';
import { useMissingRight } from '#platform/web/session/rights.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { Chosen } from './selection.ts';

export function RequestDeletion({ chosen, size }: { chosen: Chosen; size?: 'xs' }) {
  const t = useTexts('audience');
  const why = useMissingRight('people.change');
  return (
    <Suspense>
      <RequestApproval
        call={{ method: 'DELETE', path: '/client-api/api/subscribers', body: chosen }}
        label={t('bulk.requestDelete')}
        isDisabled={why !== undefined}
        why={why}
        button={{ variant: 'default', leftSection: null, ...(size && { size }) }}
      />
    </Suspense>
  );
}
