// All SMS campaigns: state, the figures of those that were sent, and what can be done.
import { Button, SegmentedControl, Text } from '@mantine/core';
import { IconMessage, IconPlus } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { isUnderWay } from '#areas/broadcasts/under-way.ts';
import { BroadcastState, usePauseActions } from '#areas/broadcasts/web/index.ts';
import { oneOf } from '#platform/web/address.ts';
import { showError } from '#platform/web/errors.ts';
import { useFormats } from '#platform/web/formats.ts';
import { useListAddress } from '#platform/web/list-address.ts';
import { useLiveTouch } from '#platform/web/live-looks.ts';
import { toast, undoable } from '#platform/web/notices.tsx';
import { touch } from '#platform/web/queries.ts';
import { useTexts } from '#platform/web/texts.ts';
import { DataTable } from '#platform/web/ui/data-table.tsx';
import { Page } from '#platform/web/ui/page.tsx';
import { EmptyState } from '#platform/web/ui/states.tsx';
import type { SmsCampaign } from '../contract.ts';
import { pathOf, reportPath, stepPath } from './paths.ts';
import { api, duplicateSms, LIST } from './queries.ts';
import classes from './sms.module.css';
import { smsUi } from './ui.ts';

const sorts = ['created', 'modified', 'title'] as const;
const more = { status: oneOf(['all', 'DRAFT', 'SCHEDULED', 'SENT'], 'all') };

export default function SmsScreen() {
  const t = useTexts('sms');
  const list = useListAddress({ sorts, direction: 'desc', more });
  const { status } = list.values;
  const campaigns = useQuery({
    ...api.query('GET /client-api/api/sms/campaign', {
      query: { ...list.query, ...(status === 'all' ? {} : { status }) },
    }),
    placeholderData: keepPreviousData,
  });
  useLiveTouch('sms', LIST);
  const actions = useActions();
  const create = (
    <Button component={Link} to="/sms/create" leftSection={<IconPlus size={18} stroke={1.75} />}>
      {t('create')}
    </Button>
  );
  return (
    <Page title={t('title')} actions={create}>
      <DataTable
        label={t('title')}
        query={campaigns}
        list={list}
        rowId={(campaign) => campaign.id}
        rowName={(campaign) => campaign.title}
        rowTo={pathOf}
        search={t('find')}
        columns={[
          {
            id: 'title',
            header: t('columns.title'),
            sort: 'title',
            cell: (one) => <Title campaign={one} />,
          },
          ...(['delivered', 'clicks', 'unsubscribes'] as const).map((name) => ({
            id: name,
            header: t(`columns.${name}`),
            align: 'end' as const,
            isWide: true,
            width: 120,
            cell: (one: SmsCampaign) => <Figure campaign={one} name={name} />,
          })),
        ]}
        actions={actions}
        filters={
          <SegmentedControl
            size="xs"
            aria-label={t('filter.label')}
            value={status}
            onChange={(value) => list.set({ status: more.status.read(value) })}
            data={(['all', 'DRAFT', 'SCHEDULED', 'SENT'] as const).map((value) => ({
              value,
              label: t(`filter.${value}`),
            }))}
          />
        }
        empty={
          <EmptyState icon={IconMessage} title={t('empty.title')} action={create}>
            {t('empty.text')}
          </EmptyState>
        }
      />
    </Page>
  );
}

function Title({ campaign }: { campaign: SmsCampaign }) {
  const t = useTexts('sms');
  const { dateTime, relative } = useFormats();
  const { scheduled_at, sent_at, modified, schedule_zone } = campaign;
  const zone = schedule_zone ?? undefined;
  const when =
    sent_at !== null
      ? t('when.sent', { time: dateTime(sent_at, zone) })
      : scheduled_at !== null
        ? t('when.scheduled', { time: dateTime(scheduled_at, zone) })
        : t('when.modified', { time: relative(modified) });
  return (
    <span className={classes.cell}>
      <bdi className={classes.title}>{campaign.title}</bdi>
      <Text component="span" size="xs" c="dimmed" className={classes.words}>
        <bdi>{campaign.text}</bdi>
      </Text>
      <span className={classes.state}>
        <BroadcastState campaign={campaign} />
        <Text component="span" size="xs" c="dimmed">
          {when}
        </Text>
      </span>
    </span>
  );
}

/** The share with the count below it; a dash while there is nothing to tell. */
function Figure({
  campaign,
  name,
}: {
  campaign: SmsCampaign;
  name: 'delivered' | 'clicks' | 'unsubscribes';
}) {
  const t = useTexts('sms');
  const { number, percent } = useFormats();
  const { figures } = campaign;
  if (figures === null || figures.sent === 0) return <span aria-label={t('noFigure')}>–</span>;
  const whole = name === 'delivered' ? figures.sent : figures.delivered;
  return (
    <span className={classes.figure}>
      <span>{percent(whole === 0 ? 0 : figures[name] / whole)}</span>
      <Text component="span" size="xs" c="dimmed">
        {number(figures[name])}
      </Text>
    </span>
  );
}

function useActions() {
  const t = useTexts('sms');
  const pausing = usePauseActions<SmsCampaign>(smsUi);
  const navigate = useNavigate();
  const remove = async ({ id, title }: SmsCampaign) => {
    const params = { id };
    try {
      await api('DELETE /client-api/api/sms/campaign/{id}', { params });
      undoable(t('deleted', { title }), () => {
        void api('POST /client-api/api/sms/campaign/{id}/restore', { params })
          .then(() => touch(LIST))
          .catch(showError);
      });
    } catch (error) {
      showError(error);
    }
    await touch(LIST);
  };
  const duplicate = async ({ id, title }: SmsCampaign) => {
    await duplicateSms(id, t('broadcasts:copyOf', { title }))
      .then(() => toast(t('broadcasts:duplicated', { title })))
      .catch(showError);
    await touch(LIST);
  };
  const open = (path: (one: SmsCampaign) => string) => (one: SmsCampaign) =>
    void navigate({ to: path(one) });
  const isNot = (status: SmsCampaign['status']) => (one: SmsCampaign) => one.status !== status;
  return [
    ...pausing,
    { label: t('acts.report'), isHidden: isNot('SENT'), run: open(({ id }) => reportPath(id)) },
    { label: t('acts.edit'), isHidden: isNot('DRAFT'), run: open(pathOf) },
    {
      label: t('acts.open'),
      isHidden: isNot('SCHEDULED'),
      run: open(({ id }) => stepPath(id, 'review')),
    },
    { label: t('acts.duplicate'), run: duplicate },
    { label: t('acts.delete'), isDanger: true, isHidden: isUnderWay, run: remove },
  ];
}
