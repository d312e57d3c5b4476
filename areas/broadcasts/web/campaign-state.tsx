// A campaign's state as a dot with a word, derived from its status and delivery.
import { useTexts } from '#platform/web/texts/texts.ts';
import { StatusDot, type Tone } from '#platform/web/ui/status-dot.tsx';
import type { Broadcast } from './ui.ts';

export type StateName =
  | 'draft'
  | 'repeats'
  | 'scheduled'
  | 'late'
  | 'preparing'
  | 'sending'
  | 'paused'
  | 'waiting'
  | 'cancelled'
  | 'sent';

const TONES: Record<StateName, Tone> = {
  draft: 'neutral',
  repeats: 'active',
  scheduled: 'warning',
  late: 'danger',
  preparing: 'active',
  sending: 'active',
  paused: 'warning',
  waiting: 'warning',
  cancelled: 'danger',
  sent: 'success',
};

type StateInputs = Pick<Broadcast, 'status' | 'delivery' | 'is_late'> &
  Partial<Pick<Broadcast, 'series'>>;

export function getStateName({ status, delivery, is_late, series }: StateInputs): StateName {
  if (status === 'DRAFT' && series) return 'repeats';
  if (status === 'DRAFT') return 'draft';
  if (is_late) return 'late';
  if (delivery === null) return status === 'SENT' ? 'sent' : 'scheduled';
  return delivery.state === 'finished' ? 'sent' : delivery.state;
}

export function BroadcastState({ campaign }: { campaign: StateInputs }) {
  const t = useTexts('broadcasts');
  const state = getStateName(campaign);
  return <StatusDot tone={TONES[state]} label={t(`states.${state}`)} />;
}
