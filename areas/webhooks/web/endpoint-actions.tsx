// Actions and state of a webhook, shared by the list and the webhook's page.
import { useNavigate } from '@tanstack/react-router';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate, useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import type { RowAction } from '#platform/web/ui/row-menu.tsx';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import type { Endpoint } from '../contract.ts';
import { api, LIST_PATH, SCREEN } from './queries.ts';

const TONES = { ACTIVE: 'success', PAUSED: 'neutral', DISABLED: 'danger' } as const;

export function EndpointStatus({ endpoint }: { endpoint: Endpoint }) {
  const t = useTexts('webhooks');
  const { status, failing_since } = endpoint;
  if (status === 'ACTIVE' && failing_since !== null)
    return <StatusDot tone="warning" label={t('status.failing')} />;
  return <StatusDot tone={TONES[status]} label={t(`status.${status}`)} />;
}

export function useTest() {
  const t = useTexts('webhooks');
  return useAction(
    ({ id }: Endpoint) => api('POST /client-api/api/webhooks/{id}/test', { params: { id } }),
    { invalidates: [LIST_PATH], onDone: () => toast(t('tested')) },
  );
}

export function useEndpointActions(): RowAction<Endpoint>[] {
  const t = useTexts('webhooks');
  const navigate = useNavigate();
  const test = useTest();
  const change = useAction(
    ({ id, status }: Endpoint) =>
      api('PATCH /client-api/api/webhooks/{id}', {
        params: { id },
        body: { status: status === 'ACTIVE' ? 'PAUSED' : 'ACTIVE' },
      }),
    { invalidates: [LIST_PATH] },
  );
  const remove = async ({ id, url }: Endpoint) => {
    const isDone = await confirm({
      title: t('delete.title'),
      message: t('delete.message', { url }),
      confirm: t('delete.confirm'),
      isDanger: true,
      run: () => api('DELETE /client-api/api/webhooks/{id}', { params: { id } }),
    });
    if (!isDone) return;
    await invalidate(LIST_PATH);
    await navigate({ to: SCREEN });
  };
  return [
    { label: t('acts.open'), run: ({ id }) => void navigate({ to: `${SCREEN}/${id}` }) },
    { label: t('acts.test'), run: (endpoint) => test.mutate(endpoint) },
    { label: t('acts.toggle'), run: (endpoint) => change.mutate(endpoint) },
    { label: t('acts.delete'), isDanger: true, run: (endpoint) => void remove(endpoint) },
  ];
}
