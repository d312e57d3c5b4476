// What can be done with a campaign that is being sent or was sent.
import { Button, Group } from '@mantine/core';
import {
  IconChartBar,
  IconCopy,
  IconPlayerPause,
  IconPlayerPlay,
  IconX,
} from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { useFormats } from '#platform/web/formats.ts';
import { toast } from '#platform/web/notices.tsx';
import { useAct } from '#platform/web/queries.ts';
import { useTexts } from '#platform/web/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import type { Campaign } from '../contract.ts';
import { reportPath, stepPath } from './paths.ts';
import { api, duplicateCampaign, LIST, touchesOf } from './queries.ts';
import { isUnderWay } from './state-of.tsx';

type Delivery = NonNullable<Campaign['delivery']>;

const CAN_PAUSE: readonly Delivery['state'][] = ['sending', 'preparing', 'waiting'];

export function SendingActs({ campaign, delivery }: { campaign: Campaign; delivery: Delivery }) {
  const t = useTexts('campaigns');
  const { id } = campaign;
  const isLeaving = isUnderWay(campaign);
  return (
    <Group gap="xs">
      {isLeaving ? (
        <Steering campaign={campaign} delivery={delivery} />
      ) : (
        <Duplicate campaign={campaign} />
      )}
      {campaign.status === 'SENT' && (
        <Button
          component={Link}
          to={reportPath(id)}
          size="sm"
          variant={isLeaving ? 'default' : 'filled'}
          leftSection={<IconChartBar size={18} stroke={1.75} />}
        >
          {t('sending.report')}
        </Button>
      )}
    </Group>
  );
}

/** While it is under way: pause, resume, cancel. */
function Steering({ campaign, delivery }: { campaign: Campaign; delivery: Delivery }) {
  const t = useTexts('campaigns');
  const { number } = useFormats();
  const { id, title } = campaign;
  const { state, remaining } = delivery;
  const change = useAct(
    (verb: 'pause' | 'resume' | 'cancel') =>
      api(`POST /client-api/api/campaigns/{id}/${verb}`, { params: { id } }),
    { touches: touchesOf(id) },
  );
  const cancel = () =>
    confirm({
      title: t('sending.cancelTitle'),
      message: t('sending.cancelMessage', { count: remaining, total: number(remaining), title }),
      confirm: t('sending.cancel'),
      isDanger: true,
      run: () => change.mutateAsync('cancel'),
    });
  return (
    <>
      {CAN_PAUSE.includes(state) && (
        <Button
          size="sm"
          variant="default"
          loading={change.isPending}
          leftSection={<IconPlayerPause size={18} stroke={1.75} />}
          onClick={() => change.mutate('pause')}
        >
          {t('sending.pause')}
        </Button>
      )}
      {state === 'paused' && (
        <Button
          size="sm"
          loading={change.isPending}
          leftSection={<IconPlayerPlay size={18} stroke={1.75} />}
          onClick={() => change.mutate('resume')}
        >
          {t('sending.resume')}
        </Button>
      )}
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

/** A new draft like this one, opened where its settings are. */
function Duplicate({ campaign: { id, title } }: { campaign: Campaign }) {
  const t = useTexts('campaigns');
  const navigate = useNavigate();
  const duplicate = useAct(() => duplicateCampaign(id, t('copyOf', { title })), {
    touches: [LIST],
    onDone: (copy) => {
      toast(t('duplicated', { title }));
      void navigate({ to: stepPath(copy, 'settings') });
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
      {t('acts.duplicate')}
    </Button>
  );
}
