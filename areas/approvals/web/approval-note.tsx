// A note about the newest request for approval of an email or SMS campaign, on the review screen of
// the draft. Shown if the request is open, declined or outdated.
import { Alert, Anchor, Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useLiveInvalidation } from '#platform/web/api/live-queries.ts';
import { useAction } from '#platform/web/api/queries.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { api, APPROVALS } from './queries.ts';

export default function ApprovalNote({ subject }: { subject: string }) {
  const t = useTexts('approvals');
  const { dateTime } = useFormats();
  useLiveInvalidation('approval', APPROVALS);
  const { data } = useQuery({
    ...api.query('GET /client-api/api/approvals', { query: { subject, limit: 1 } }),
    retry: false,
    // Without this response only the note is missing, so a 404 must not replace the review screen.
    meta: { notFound: 'inline' },
  });
  const withdraw = useAction(
    (id: string) =>
      api('POST /client-api/api/approvals/{id}/withdraw', { params: { id }, body: {} }),
    { invalidates: [APPROVALS] },
  );
  const approval = data?.data[0];
  if (!approval || !['open', 'declined', 'outdated'].includes(approval.state)) return null;
  const { id, state, reason, decided_by: decider } = approval;
  const deciderName = decider?.name ?? decider?.email ?? '';
  return (
    <Alert color={state === 'open' ? 'thread' : 'warning'} role="status" mb="md">
      <Group justify="space-between" gap="xs">
        <span>
          {state === 'open' && t('note.open', { at: dateTime(approval.asked_at) })}
          {state === 'declined' && t('note.declined', { by: deciderName, reason: reason || '–' })}
          {state === 'outdated' && t('note.outdated')}
        </span>
        <Group gap="xs">
          {approval.can_withdraw && (
            <Button
              size="compact-sm"
              variant="default"
              loading={withdraw.isPending}
              onClick={() => withdraw.mutate(id)}
            >
              {t('withdraw')}
            </Button>
          )}
          <Anchor component={Link} to={`/approvals/${id}`} size="sm">
            {t('note.show')}
          </Anchor>
        </Group>
      </Group>
    </Alert>
  );
}
