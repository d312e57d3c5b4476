// One link: its clicks and the subscribers who clicked.
import { Anchor } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link as RouterLink } from '@tanstack/react-router';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useListAddress } from '#platform/web/session/list-address.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import type { Link } from '../contract.ts';
import classes from './actions.module.css';
import { ActionsTable } from './actions-table.tsx';
import { api, toVariantQuery, reportPath } from './queries.ts';
import { useVariantQuery, withVariant } from './variant-filter.tsx';

const SORTS = ['at', 'email'] as const;

export default function LinkScreen() {
  const t = useTexts('reports');
  const params = { id: useParam('campaign'), link_id: useParam('link') };
  const list = useListAddress({ sorts: SORTS, direction: 'desc' });
  const variant = useVariantQuery();
  const link = useQuery(
    api.query('GET /client-api/api/campaigns/{id}/report/links/{link_id}', {
      params,
      ...toVariantQuery(variant),
    }),
  );
  const clicks = useQuery({
    ...api.query('GET /client-api/api/campaigns/{id}/report/links/{link_id}/clicks', {
      params,
      query: { ...list.query, ...variant },
    }),
    placeholderData: keepPreviousData,
  });
  if (link.isError && !link.data) {
    return <FailedState error={link.error} retry={() => void link.refetch()} />;
  }
  if (!link.data) return <LoadingState rows={6} />;
  return (
    <>
      <Anchor
        component={RouterLink}
        to={withVariant(`${reportPath(params.id)}/clicks`, variant)}
        size="sm"
      >
        {t('link.all')}
      </Anchor>
      <LinkFigures link={link.data.data} />
      <ActionsTable label={t('link.who')} query={clicks} list={list} withCount withReason={false} />
    </>
  );
}

function LinkFigures({ link }: { link: Link }) {
  const t = useTexts('reports');
  const { number } = useFormats();
  const figures = [
    ['unique', link.unique_human_clicks],
    ['clicks', link.human_clicks],
    ['machines', link.clicks - link.human_clicks],
  ] as const;
  return (
    <>
      <h2 className={classes.address}>
        {link.label && <bdi>{link.label}</bdi>}
        <Anchor
          href={/^https?:/i.test(link.url) ? link.url : undefined}
          target="_blank"
          rel="noreferrer"
          className={classes.url}
          dir="ltr"
        >
          {link.url}
        </Anchor>
      </h2>
      <dl className={classes.facts}>
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt>{t(`links.columns.${name}`)}</dt>
            <dd>{number(value)}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
