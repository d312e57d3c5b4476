// The autopilot of each sending domain: its mode at every mailbox provider, its limit, its moves,
// and their reasons.
import { Button, Group, NativeSelect, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { client } from '#platform/web/api/api.ts';
import { useAction } from '#platform/web/api/queries.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { useMissingRight } from '#platform/web/session/rights.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { calls, PilotMoveEntry, PilotOfDomain } from '../../pilot-contract.ts';
import { PILOT_MODES, type PilotMode } from '../../pilot-shared.ts';
import { MAILBOX_TITLES } from '../../shared.ts';
import classes from '../deliverability.module.css';

const api = client<typeof calls>();
const PILOT = '/client-api/api/deliverability/pilot';

type PilotItem = PilotOfDomain['mailboxes'][number];

export default function Pilot() {
  const t = useTexts('pilot');
  const pilots = useQuery(api.query('GET /client-api/api/deliverability/pilot'));
  if (pilots.isLoadingError) {
    return <FailedState error={pilots.error} retry={() => void pilots.refetch()} />;
  }
  if (!pilots.data) return <LoadingState rows={2} />;
  const domains = pilots.data.data;
  return (
    <section className={classes.section} aria-labelledby="pilot">
      <h2 id="pilot">{t('title')}</h2>
      <p>{t(domains.length === 0 ? 'none' : 'text')}</p>
      <ul className={classes.cards}>
        {domains.map(({ domain_name: name, shown_name: unicodeName, mailboxes }) => (
          <li key={name} className={classes.card}>
            <h3>
              <bdi dir="ltr">{unicodeName}</bdi>
            </h3>
            <ul className={classes.rows}>
              {mailboxes.map((row) => (
                <Provider key={row.mailbox} domain={name} row={row} />
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Provider({ domain, row }: { domain: string; row: PilotItem }) {
  const t = useTexts('pilot');
  const { dateTime, number } = useFormats();
  const missing = useMissingRight('settings');
  const provider = MAILBOX_TITLES[row.mailbox];
  const setMode = useAction(
    (mode: PilotMode) =>
      api('PUT /client-api/api/deliverability/pilot', {
        body: { domain_name: domain, mailbox: row.mailbox, mode },
      }),
    { invalidates: [PILOT] },
  );
  const openMoves = row.moves.filter(({ state }) => state === 'suggested');
  const decidedMoves = row.moves.filter(({ state }) => state !== 'suggested');
  return (
    <li className={classes.row}>
      <span className={classes.name}>{provider}</span>
      <div>
        <Limit row={row} />
        {row.held_until && <p>{t('held', { at: dateTime(row.held_until) })}</p>}
        {openMoves.map((move) => (
          <Move key={move.id} move={move} />
        ))}
        {decidedMoves.length > 0 && (
          <details>
            <summary>{t('moves', { total: number(decidedMoves.length) })}</summary>
            {decidedMoves.map((move) => (
              <Move key={move.id} move={move} />
            ))}
          </details>
        )}
      </div>
      <NativeSelect
        size="xs"
        aria-label={t('mode', { provider })}
        value={setMode.isPending ? setMode.variables : row.mode}
        disabled={missing !== undefined || setMode.isPending}
        onChange={(event) => setMode.mutate(event.currentTarget.value as PilotMode)}
        data={PILOT_MODES.map((mode) => ({ value: mode, label: t(`modes.${mode}`) }))}
      />
    </li>
  );
}

function Limit({ row }: { row: PilotItem }) {
  const { per_hour: perHour, is_paused: isPaused, is_engaged_only: isEngagedOnly } = row;
  const t = useTexts('pilot');
  const { number } = useFormats();
  if (perHour === null) {
    return <Text size="sm">{t(isEngagedOnly ? 'engaged' : 'unlimited')}</Text>;
  }
  const key = isPaused ? 'paused' : isEngagedOnly ? 'limitedEngaged' : 'limited';
  return <Text size="sm">{t(key, { amount: number(perHour) })}</Text>;
}

function Move({ move }: { move: PilotMoveEntry }) {
  const t = useTexts('pilot');
  const { dateTime } = useFormats();
  const missing = useMissingRight('settings');
  const isOpen = move.state === 'suggested';
  const apply = useAction(
    () => api('POST /client-api/api/deliverability/pilot/moves/{id}/apply', { params: move }),
    { invalidates: [PILOT], onDone: () => toast(t('applied')) },
  );
  const undo = useAction(
    () => api('POST /client-api/api/deliverability/pilot/moves/{id}/undo', { params: move }),
    { invalidates: [PILOT], onDone: () => toast(t('undoneNotice')) },
  );
  const isBusy = apply.isPending || undo.isPending;
  const isDisabled = missing !== undefined || isBusy;
  return (
    <Group gap="xs" mt={4} mb={8}>
      <Text size="sm" flex="1 1 220px">
        {useSentence(move)}{' '}
        <Text span size="sm" c="dimmed">
          {t(`states.${move.state}`)}, {dateTime(move.at)}
        </Text>
      </Text>
      {isOpen && (
        <Button size="compact-sm" disabled={isDisabled} onClick={() => apply.mutate()}>
          {t('apply')}
        </Button>
      )}
      {move.can_undo && (
        <Button
          size="compact-sm"
          variant="default"
          disabled={isDisabled}
          onClick={() => undo.mutate()}
        >
          {t(isOpen ? 'dismiss' : 'undo')}
        </Button>
      )}
    </Group>
  );
}

function useSentence({ move, cause, count, of, ...rates }: PilotMoveEntry): string {
  const t = useTexts('pilot');
  const { number } = useFormats();
  const formatRate = (perHour: number | null) =>
    perHour === null ? t('anyRate') : number(perHour);
  const values = {
    ...{ count: number(count), of: number(of) },
    ...{ from: formatRate(rates.from_per_hour), to: formatRate(rates.to_per_hour) },
  };
  if (cause === 'off') return t('move.off');
  if (move !== 'pause') return t(`move.${move}`, values);
  return t(`move.pause.${cause === 'complaints' ? 'complaints' : 'refusals'}`, values);
}
