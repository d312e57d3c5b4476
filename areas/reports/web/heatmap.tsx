// Shows the email as sent. The color of each link depends on the number of people who clicked it,
// and a mark shows their percentage. The heatmap is drawn by a style sheet only, so the frame needs
// no script and no origin.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { EmptyState, FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { divideOrZero } from '#areas/tracking/shared.ts';
import { useParam } from '#platform/web/hooks/use-param.ts';
import type { Heatmap as Sent } from '../contract.ts';
import { drawHeat } from './draw-heat.ts';
import classes from './heatmap.module.css';
import { api, toVariantQuery, useOverview } from './queries.ts';
import { useVariantQuery } from './variant-filter.tsx';

export function Heatmap() {
  const id = useParam('campaign');
  const query = toVariantQuery(useVariantQuery());
  const heatmap = useQuery(
    api.query('GET /client-api/api/campaigns/{id}/report/heatmap', { params: { id }, ...query }),
  );
  if (heatmap.isError && !heatmap.data) {
    return <FailedState error={heatmap.error} retry={() => void heatmap.refetch()} />;
  }
  if (!heatmap.data) return <LoadingState rows={8} />;
  return <EmailHeatmap email={heatmap.data.data} />;
}

function EmailHeatmap({ email }: { email: Sent }) {
  const t = useTexts('reports');
  const { percent } = useFormats();
  const deliveredCount = useOverview(useVariantQuery()).data?.data.figures.delivered.count ?? 0;
  const page = useMemo(() => {
    if (email.html === null) return undefined;
    const formatShare = (clicks: number) => percent(divideOrZero(clicks, deliveredCount));
    return drawHeat(email.html, email.links, formatShare);
  }, [email, deliveredCount, percent]);
  if (page === undefined) {
    return <EmptyState title={t('heatmap.plain')}>{t('heatmap.plainText')}</EmptyState>;
  }
  return (
    <figure className={classes.figure}>
      <figcaption className={classes.note}>{t('heatmap.note')}</figcaption>
      <iframe
        className={classes.mail}
        title={t('heatmap.title')}
        sandbox="allow-popups"
        referrerPolicy="no-referrer"
        srcDoc={page}
      />
    </figure>
  );
}
