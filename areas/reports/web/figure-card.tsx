// A card with a metric: its rate and count, the number of automated opens or clicks, the average of
// the account's earlier campaigns, and a link to the list of subscribers. The tooltip of the name
// shows the definition of the metric.
import { Tooltip } from '@mantine/core';
import { IconArrowRight } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { Overview } from '../contract.ts';
import { ACTION_OF, type FigureName } from '../shared.ts';
import classes from './overview.module.css';
import { reportPath } from './queries.ts';
import { useVariantQuery } from './variant-filter.tsx';

export function FigureCard({ name, overview }: { name: FigureName; overview: Overview }) {
  const t = useTexts('reports');
  const { number, percent } = useFormats();
  const figure = overview.figures[name];
  // The main number counts only humans, as in the list of campaigns and on the dashboard. Opens and
  // clicks by machines alone are shown below it.
  const isSplit = 'human_count' in figure;
  const ratio = isSplit ? figure.human_share : figure.share;
  const count = isSplit ? figure.human_count : figure.count;
  return (
    <section className={classes.card} aria-label={t(`figures.${name}`)}>
      <Name name={name} campaign={overview.campaign.id} />
      <p className={classes.value}>
        <span className={classes.share}>{percent(ratio)}</span>{' '}
        <span className={classes.count}>({number(count)})</span>
      </p>
      {isSplit && (
        <p className={classes.note}>
          {t('machinesBeside', { count: number(figure.count - figure.human_count) })}
        </p>
      )}
      <Average name={name} overview={overview} />
    </section>
  );
}

function Name({ name, campaign }: { name: FigureName; campaign: string }) {
  const t = useTexts('reports');
  const action = ACTION_OF[name];
  const variant = useVariantQuery();
  const label = t(`figures.${name}`);
  return (
    <h3 className={classes.name}>
      <Tooltip
        multiline
        w={260}
        label={t(`definitions.${name}`)}
        events={{ hover: true, focus: true, touch: true }}
      >
        {action ? (
          <Link
            to={`${reportPath(campaign)}/actions`}
            search={{ action, ...variant }}
            className={classes.link}
          >
            {label}
            <IconArrowRight size={16} stroke={1.75} className={classes.arrow} aria-hidden="true" />
          </Link>
        ) : (
          <button type="button" className={classes.term}>
            {label}
          </button>
        )}
      </Tooltip>
    </h3>
  );
}

function Average({ name, overview }: { name: FigureName; overview: Overview }) {
  const t = useTexts('reports');
  const { percent } = useFormats();
  const { average } = overview;
  if (!average || name === 'sent') return null;
  const averageValue =
    name === 'opens' || name === 'clicks' ? average[`human_${name}`] : average[name];
  return (
    <p className={classes.note} title={t('averageOf', { count: average.campaigns })}>
      {t('average', { share: percent(averageValue) })}
    </p>
  );
}
