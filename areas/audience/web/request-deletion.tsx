// The button that requests the deletion or erasure of subscribers for users without the right.
import { Suspense } from 'react';
import { type RequestableCall, RequestApproval } from '#areas/approvals/web/index.ts';
import { useMissingRight } from '#platform/web/session/rights.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { SubscriberSelection } from './selection.ts';

type Size = { size?: 'xs' };

export function RequestDeletion({ selection, ...size }: { selection: SubscriberSelection } & Size) {
  const t = useTexts('audience');
  const call = { method: 'DELETE', path: '/client-api/api/subscribers', body: selection } as const;
  return <RequestButton call={call} label={t('bulk.requestDelete')} {...size} />;
}

export function RequestErasure({ id }: { id: string }) {
  const t = useTexts('audience');
  const path = `/client-api/api/subscribers/${id}/erase`;
  const call = { method: 'POST', path, body: {} } as const;
  return <RequestButton call={call} label={t('one.erase.request')} />;
}

function RequestButton({ size, ...request }: { call: RequestableCall; label: string } & Size) {
  const missingRight = useMissingRight('people.change');
  return (
    <Suspense>
      <RequestApproval
        {...request}
        isDisabled={missingRight !== undefined}
        disabledReason={missingRight}
        button={{ variant: 'default', leftSection: null, ...(size && { size }) }}
      />
    </Suspense>
  );
}
