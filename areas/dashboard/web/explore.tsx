// Suggestions for new owners: the tour of the test tools and an account filled with sample data.
import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { sampleCalls } from '../sample-contract.ts';
import { client } from '#platform/web/api/api.ts';
import { showError } from '#platform/web/errors/errors.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { switchAccount } from '#platform/web/session/session.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { useTestTools } from '#platform/web/ui/test-tools.tsx';
import classes from './dashboard.module.css';
import { useIsGettingStarted } from './getting-started.tsx';

const api = client<typeof sampleCalls>();
const PREPARING_MS = 1_000;

export function Explore() {
  const hasTools = useTestTools().length > 0;
  if (!useIsGettingStarted()) return null;
  return (
    <div className={classes.explore}>
      <SampleData />
      {hasTools && <TourOffer />}
    </div>
  );
}

function TourOffer() {
  const t = useTexts('dashboard');
  return (
    <section className={classes.offer} aria-label={t('tour.title')}>
      <h2 className={classes.panelTitle}>{t('tour.title')}</h2>
      <p className={classes.note}>{t('tour.text')}</p>
      <Button component={Link} to="/test-tools" variant="default">
        {t('tour.start')}
      </Button>
    </section>
  );
}

function SampleData() {
  const t = useTexts('dashboard');
  const queries = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const query = api.query('GET /client-api/api/sample_account');
  const sample = useQuery({
    ...query,
    refetchInterval: ({ state }) => (state.data?.data.state === 'preparing' ? PREPARING_MS : false),
  }).data?.data;
  if (!sample) return null;
  const runAction = async (work: () => Promise<unknown>) => {
    setBusy(true);
    try {
      await work();
      await queries.invalidateQueries({ queryKey: query.queryKey });
    } catch (error) {
      showError(error);
    } finally {
      setBusy(false);
    }
  };
  const remove = async () => {
    await api('DELETE /client-api/api/sample_account');
    toast(t('sample.removed'));
  };
  const isPreparing = sample.state === 'preparing';
  return (
    <section className={classes.offer} aria-label={t('sample.title')}>
      <h2 className={classes.panelTitle}>{t('sample.title')}</h2>
      <p className={classes.note} role="status">
        {t(isPreparing ? 'sample.preparing' : 'sample.text')}
      </p>
      <div className={classes.offerActions}>
        {sample.state === 'ready' && sample.id !== null ? (
          <>
            <Button
              variant="default"
              disabled={isBusy}
              onClick={() => void switchAccount(sample.id as string)}
            >
              {t('sample.open')}
            </Button>
            <Button variant="subtle" loading={isBusy} onClick={() => void runAction(remove)}>
              {t('sample.remove')}
            </Button>
          </>
        ) : (
          <Button
            variant="default"
            loading={isBusy || isPreparing}
            onClick={() => void runAction(() => api('POST /client-api/api/sample_account'))}
          >
            {t('sample.create')}
          </Button>
        )}
      </div>
    </section>
  );
}
