// Pause and resume actions for broadcasts in progress: in a row of a list, or in the header of a
// page.
import { Button } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { storeResponse, useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { RowAction } from '#platform/web/ui/row-menu.tsx';
import { type BroadcastUi, listAffectedQueries } from './ui.ts';

type PausableBroadcast = { id: string; delivery: { state: string } | null };
type PauseAction = 'pause' | 'resume';

const CAN_PAUSE: readonly string[] = ['sending', 'preparing', 'waiting'];

/** Returns the available action of a broadcast in progress. */
export function getPauseAction({ delivery }: PausableBroadcast): PauseAction | undefined {
  if (!delivery) return undefined;
  if (CAN_PAUSE.includes(delivery.state)) return 'pause';
  return delivery.state === 'paused' ? 'resume' : undefined;
}

/** Actions of a list's rows. */
export function usePauseActions<Row extends PausableBroadcast>(ui: BroadcastUi): RowAction<Row>[] {
  const t = useTexts('broadcasts');
  const change = useAction(
    ({ id, verb }: { id: string; verb: PauseAction }) =>
      ui.api(`POST /client-api/api/campaigns/{id}/${verb}`, { params: { id } }),
    { invalidates: [ui.base] },
  );
  return (['pause', 'resume'] as const).map((verb) => ({
    label: t(`sending.${verb}`),
    isHidden: (row: Row) => getPauseAction(row) !== verb,
    run: ({ id }: Row) => change.mutate({ id, verb }),
  }));
}

type PauseCalls = Pick<BroadcastUi, 'api' | 'base'>;

export function PauseButton({ ui, campaign }: { ui: PauseCalls; campaign: PausableBroadcast }) {
  const t = useTexts('broadcasts');
  const { id } = campaign;
  const change = useAction(
    (verb: PauseAction) =>
      ui.api(`POST /client-api/api/campaigns/{id}/${verb}`, { params: { id } }),
    {
      invalidates: listAffectedQueries(ui, id),
      onDone: (response) => storeResponse(`${ui.base}/${id}`, response),
    },
  );
  const verb = getPauseAction(campaign);
  if (!verb) return null;
  const Icon = verb === 'pause' ? IconPlayerPause : IconPlayerPlay;
  return (
    <Button
      variant={verb === 'pause' ? 'default' : 'filled'}
      loading={change.isPending}
      leftSection={<Icon size={18} stroke={1.75} />}
      onClick={() => change.mutate(verb)}
    >
      {t(`sending.${verb}`)}
    </Button>
  );
}
