// Pause and resume actions for broadcasts in progress: in a row of a list, or in the header of a
// page.
import { Button } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { storeAnswer, useAct } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { RowAction } from '#platform/web/ui/row-menu.tsx';
import { type BroadcastUi, affectedQueries } from './ui.ts';

type Facts = { id: string; delivery: { state: string } | null };
type Verb = 'pause' | 'resume';

const CAN_PAUSE: readonly string[] = ['sending', 'preparing', 'waiting'];

/** The available action of a broadcast in progress. */
export function verbOf({ delivery }: Facts): Verb | undefined {
  if (!delivery) return undefined;
  if (CAN_PAUSE.includes(delivery.state)) return 'pause';
  return delivery.state === 'paused' ? 'resume' : undefined;
}

/** Actions of a list's rows. */
export function usePauseActions<Row extends Facts>(ui: BroadcastUi): RowAction<Row>[] {
  const t = useTexts('broadcasts');
  const change = useAct(
    ({ id, verb }: { id: string; verb: Verb }) =>
      ui.api(`POST /client-api/api/campaigns/{id}/${verb}`, { params: { id } }),
    { touches: [ui.base] },
  );
  return (['pause', 'resume'] as const).map((verb) => ({
    label: t(`sending.${verb}`),
    isHidden: (row: Row) => verbOf(row) !== verb,
    run: ({ id }: Row) => change.mutate({ id, verb }),
  }));
}

type Calls = Pick<BroadcastUi, 'api' | 'base'>;

export function PauseButton({ ui, campaign }: { ui: Calls; campaign: Facts }) {
  const t = useTexts('broadcasts');
  const { id } = campaign;
  const change = useAct(
    (verb: Verb) => ui.api(`POST /client-api/api/campaigns/{id}/${verb}`, { params: { id } }),
    {
      touches: affectedQueries(ui, id),
      onDone: (answer) => storeAnswer(`${ui.base}/${id}`, answer),
    },
  );
  const verb = verbOf(campaign);
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
