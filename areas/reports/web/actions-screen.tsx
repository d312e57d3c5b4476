// Subscriber actions: one list per action, each also exported as a file.
import { Button, Select } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { parseOneOf } from '#platform/web/api/address.ts';
import { useListAddress } from '#platform/web/session/list-address.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { ACTIONS, type ReportAction } from '../shared.ts';
import classes from './actions.module.css';
import { ActionsTable } from './actions-table.tsx';
import { api } from './queries.ts';
import { useVariantQuery } from './variant-filter.tsx';

const SORTS = ['at', 'email'] as const;
const parameters = { action: parseOneOf(ACTIONS, 'opens') };
const COUNTED: readonly ReportAction[] = ['opens', 'clicks'];
const REASONED: readonly ReportAction[] = ['hard_bounces', 'soft_bounces', 'not_sent'];

export default function ActionsScreen() {
  const t = useTexts('reports');
  const id = useParam('campaign');
  const list = useListAddress({ sorts: SORTS, direction: 'desc', more: parameters });
  const { action } = list.values;
  const variant = useVariantQuery();
  const file = new URLSearchParams({ action });
  if (variant.variant !== undefined) file.set('variant', String(variant.variant));
  const actions = useQuery({
    ...api.query('GET /client-api/api/campaigns/{id}/report/actions', {
      params: { id },
      query: { ...list.query, ...variant, action },
    }),
    placeholderData: keepPreviousData,
  });
  return (
    <ActionsTable
      label={t(`actions.${action}`)}
      query={actions}
      list={list}
      withCount={COUNTED.includes(action)}
      withReason={REASONED.includes(action)}
      canSort={action !== 'unopens'}
      filters={
        <div className={classes.tools}>
          <Select
            size="xs"
            w={190}
            aria-label={t('actions.which')}
            value={action}
            allowDeselect={false}
            onChange={(value) => list.set({ action: parameters.action.read(value ?? undefined) })}
            data={ACTIONS.map((value) => ({ value, label: t(`actions.${value}`) }))}
          />
          <Button
            size="xs"
            variant="default"
            component="a"
            href={`/client-api/api/campaigns/${id}/report/actions/export?${file}`}
            download={`${action}.csv`}
            leftSection={<IconDownload size={18} stroke={1.75} />}
          >
            {t('actions.export')}
          </Button>
        </div>
      }
    />
  );
}
