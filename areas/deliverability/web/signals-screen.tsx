// Evidence from connected services: Google Postmaster Tools, Microsoft SNDS and seed mailboxes.
import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { text, useSearchParams } from '#platform/web/api/address.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { Page } from '#platform/web/ui/page.tsx';
import { type RowAction, RowMenu } from '#platform/web/ui/row-menu.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { StatusDot, type Tone } from '#platform/web/ui/status-dot.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import type { Placement, SeedMailbox, Signals } from '../signals-contract.ts';
import { MAX_SEEDS } from '../signals-shared.ts';
import { Postmaster } from './postmaster.tsx';
import { api, DELIVERABILITY, SCREEN } from './queries.ts';
import { SeedDialog } from './seed-dialog.tsx';
import classes from './deliverability.module.css';

/** The parameters that Google or Microsoft adds to the URL when it redirects the user back. */
const address = { code: text(), state: text(), error: text() };

export default function SignalsScreen() {
  const t = useTexts('signals');
  const [back, set] = useSearchParams(address);
  const signals = useQuery(api.query('GET /client-api/api/deliverability/signals'));
  return (
    <Page
      title={t('title')}
      description={t('description')}
      back={{ to: SCREEN, label: t('back') }}
      width="reading"
    >
      {signals.data ? (
        <>
          <Postmaster
            signals={signals.data.data}
            callback={back}
            clearCallback={() => set({ code: '', state: '', error: '' }, { replace: true })}
          />
          <Snds snds={signals.data.data.snds} />
          <Seeds signals={signals.data.data} />
        </>
      ) : signals.isLoadingError ? (
        <FailedState error={signals.error} retry={() => void signals.refetch()} />
      ) : (
        <LoadingState rows={6} />
      )}
    </Page>
  );
}

const SNDS_TONES = { green: 'success', yellow: 'warning', red: 'danger' } as const;

function Snds({ snds }: Pick<Signals, 'snds'>) {
  const t = useTexts('signals');
  const { number, percent, date } = useFormats();
  return (
    <section className={classes.section} aria-labelledby="snds">
      <h2 id="snds">{t('snds.name')}</h2>
      <p>{t(snds === null ? 'snds.off' : snds.length === 0 ? 'snds.none' : 'snds.text')}</p>
      <ul className={classes.rows}>
        {snds?.map(({ ip, day, result, messages, complaints, traps }) => (
          <li key={ip} className={classes.row}>
            <bdi dir="ltr" className={classes.name}>
              {ip}
            </bdi>
            <span>
              <StatusDot tone={SNDS_TONES[result]} label={t(`snds.results.${result}`)} />
              <p>
                {complaints !== null && t('snds.complaints', { share: percent(complaints) })}{' '}
                {traps > 0 && t('snds.traps', { amount: number(traps) })}
              </p>
              <p>{date(`${day}T12:00:00Z`)}</p>
            </span>
            <span className={classes.end}>{number(messages)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Seeds({ signals }: { signals: Signals }) {
  const t = useTexts('signals');
  const [isAdding, setAdding] = useState(false);
  const { seeds, placements } = signals;
  const remove = (seed: SeedMailbox) =>
    confirm({
      title: t('seeds.removeTitle', { email: seed.email }),
      message: seed.service
        ? `${t('seeds.removeText')} ${t(`seeds.removeAccess.${seed.service}`)}`
        : t('seeds.removeText'),
      confirm: t('seeds.remove'),
      isDanger: true,
      run: async () => {
        await api('DELETE /client-api/api/deliverability/seeds/{id}', { params: { id: seed.id } });
        await invalidate(DELIVERABILITY);
      },
    });
  const actions: RowAction<SeedMailbox>[] = [
    { label: t('seeds.remove'), isDanger: true, run: (seed) => void remove(seed) },
  ];
  return (
    <section className={classes.section} aria-labelledby="seeds">
      <h2 id="seeds">{t('seeds.title')}</h2>
      <p>{t('seeds.text')}</p>
      <Group>
        <Button
          variant="default"
          disabled={seeds.length >= MAX_SEEDS}
          onClick={() => setAdding(true)}
        >
          {t('seeds.add')}
        </Button>
      </Group>
      <ul className={classes.rows}>
        {seeds.map((seed) => (
          <SeedRow key={seed.id} seed={seed} actions={actions} />
        ))}
      </ul>
      <SeedDialog
        isOpen={isAdding}
        close={() => setAdding(false)}
        services={signals.seed_services}
      />
      {seeds.length > 0 && (
        <>
          <h3 className={classes.heading}>{t('placements.title')}</h3>
          <p>{t(placements.length === 0 ? 'placements.none' : 'placements.text')}</p>
          <ul className={classes.rows}>
            {placements.map((placement) => (
              <PlacementRow key={placement.sent + placement.subject} placement={placement} />
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function SeedRow({ seed, actions }: { seed: SeedMailbox; actions: RowAction<SeedMailbox>[] }) {
  const t = useTexts('signals');
  const { dateTime } = useFormats();
  const { email, host, fault, checked } = seed;
  return (
    <li className={classes.row}>
      <span className={classes.name}>
        <bdi dir="ltr">{email}</bdi>
        <p>
          <bdi dir="ltr">{host}</bdi>
        </p>
      </span>
      <span>
        <StatusDot
          tone={fault === null ? 'success' : 'danger'}
          label={t(fault === null ? 'seeds.connected' : `seeds.faults.${fault}`)}
        />
        {checked !== null && <p>{t('checked', { at: dateTime(checked) })}</p>}
      </span>
      <span className={classes.end}>
        <RowMenu row={seed} name={email} actions={actions} />
      </span>
    </li>
  );
}

const PLACE_TONES: Record<NonNullable<Placement['copies'][number]['place']>, Tone> = {
  inbox: 'success',
  category: 'active',
  spam: 'danger',
  missing: 'danger',
  unknown: 'neutral',
};

function PlacementRow({ placement }: { placement: Placement }) {
  const t = useTexts('signals');
  const { date } = useFormats();
  return (
    <li className={classes.row}>
      <bdi className={classes.name}>{placement.subject}</bdi>
      <span>
        {placement.copies.map(({ email, place, folder }) => (
          <span key={email} className={classes.name}>
            <StatusDot
              tone={place === null ? 'neutral' : PLACE_TONES[place]}
              label={
                place === null
                  ? t('places.waiting')
                  : t(`places.${place}`, { folder: folder ?? '' }).trim()
              }
            />
            <p>
              <bdi dir="ltr">{email}</bdi>
            </p>
          </span>
        ))}
      </span>
      <span className={classes.end}>{date(placement.sent)}</span>
    </li>
  );
}
