// Actions on a campaign that is being sent or was sent.
import { Button, Group } from '@mantine/core';
import { IconChartBar, IconCopy, IconX } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { useFormats } from '#platform/web/texts/formats.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { storeResponse, useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import type { BroadcastDelivery } from '../sending-contract.ts';
import { isInProgress } from '../is-sending.ts';
import { PauseButton } from './pausing.tsx';
import { type Broadcast, type BroadcastUi, listAffectedQueries } from './ui.ts';

type Props = { ui: BroadcastUi; campaign: Broadcast };

export function SendingActions({
  ui,
  campaign,
  delivery,
}: Props & { delivery: BroadcastDelivery }) {
  const t = useTexts('broadcasts');
  const { id } = campaign;
  const isSending = isInProgress(campaign);
  return (
    <Group gap="xs">
      {isSending ? (
        <SendingControls ui={ui} campaign={campaign} delivery={delivery} />
      ) : (
        <Duplicate ui={ui} campaign={campaign} />
      )}
      {campaign.status === 'SENT' && (
        <Button
          component={Link}
          to={ui.getReportPath(id)}
          size="sm"
          variant={isSending ? 'default' : 'filled'}
          leftSection={<IconChartBar size={18} stroke={1.75} />}
        >
          {t('sending.report')}
        </Button>
      )}
    </Group>
  );
}

/** Actions while sending is in progress: pause, resume, cancel. */
function SendingControls({ ui, campaign, delivery }: Props & { delivery: BroadcastDelivery }) {
  const t = useTexts('broadcasts');
  const { number } = useFormats();
  const { id, title, status } = campaign;
  const { remaining } = delivery;
  const change = useAction(
    () => ui.api('POST /client-api/api/campaigns/{id}/cancel', { params: { id } }),
    {
      invalidates: listAffectedQueries(ui, id),
      onDone: (response) => storeResponse(`${ui.base}/${id}`, response),
    },
  );
  const cancel = () =>
    confirm({
      title: t('sending.cancelTitle'),
      // Before the first handoff, the server makes the campaign a draft again.
      message:
        status === 'SCHEDULED'
          ? t('sending.cancelEarly', { title })
          : t('sending.cancelMessage', { count: remaining, total: number(remaining), title }),
      confirm: t('sending.cancel'),
      isDanger: true,
      run: () => change.mutateAsync(undefined),
    });
  return (
    <>
      <PauseButton ui={ui} campaign={campaign} />
      <Button
        size="sm"
        variant="default"
        leftSection={<IconX size={18} stroke={1.75} />}
        onClick={() => void cancel()}
      >
        {t('sending.cancel')}
      </Button>
    </>
  );
}

/** Creates a copy as a draft and opens its settings. */
function Duplicate({ ui, campaign: { id, title } }: Props) {
  const t = useTexts('broadcasts');
  const navigate = useNavigate();
  const duplicate = useAction(() => ui.duplicate(id, t('copyOf', { title })), {
    invalidates: [ui.base],
    onDone: (copy) => {
      toast(t('duplicated', { title }));
      void navigate({ to: ui.getStepPath(copy, 'settings') });
    },
  });
  return (
    <Button
      size="sm"
      variant="default"
      loading={duplicate.isPending}
      leftSection={<IconCopy size={18} stroke={1.75} />}
      onClick={() => duplicate.mutate(undefined)}
    >
      {t('duplicate')}
    </Button>
  );
}
