// All email campaigns: state, the three figures of those that were sent, and what can be done.
import { Button, NativeSelect, SegmentedControl, Text } from '@mantine/core';
import { IconMail, IconPlus } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { oneOf } from '#platform/web/address.ts';
import { useFormats } from '#platform/web/formats.ts';
import { useListAddress } from '#platform/web/list-address.ts';
import { useLive } from '#platform/web/live.ts';
import { toast, undoable } from '#platform/web/notices.tsx';
import { touch } from '#platform/web/queries.ts';
import { showError } from '#platform/web/errors.ts';
import { useTexts } from '#platform/web/texts.ts';
import { DataTable } from '#platform/web/ui/data-table.tsx';
import { askInput } from '#platform/web/ui/input-dialog.tsx';
import { Page } from '#platform/web/ui/page.tsx';
import { EmptyState } from '#platform/web/ui/states.tsx';
import type { Campaign } from '../contract.ts';
import { TITLE_MOST } from '../limits.ts';
import classes from './campaigns-screen.module.css';
import { pathOf } from './paths.ts';
import { api, LIST } from './queries.ts';
import { CampaignState, isUnderWay } from './state-of.tsx';

const sorts = ['created', 'modified', 'title'] as const;
const more = { status: oneOf(['all', 'DRAFT', 'SCHEDULED', 'SENT'], 'all') };

export default function CampaignsScreen() {
  const t = useTexts('campaigns');
  const list = useListAddress({ sorts, direction: 'desc', more });
  const { status, order } = list.values;
  const campaigns = useQuery({
    ...api.query('GET /client-api/api/campaigns', {
      query: { ...list.query, ...(status === 'all' ? {} : { status }) },
    }),
    placeholderData: keepPreviousData,
  });
  useLive('campaign', () => void touch(LIST));
  const acts = useActs();
  const create = (
    <Button
      component={Link}
      to="/campaigns/create"
      leftSection={<IconPlus size={18} stroke={1.75} />}
    >
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
          ...(['delivered', 'opens', 'clicks'] as const).map((name) => ({
            id: name,
            header: t(`columns.${name}`),
            align: 'end' as const,
            isWide: true,
            width: 110,
            cell: (one: Campaign) => <Figure campaign={one} name={name} />,
          })),
        ]}
        acts={acts}
        filters={
          <>
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
            <NativeSelect
              w={190}
              aria-label={t('sort.label')}
              value={order}
              onChange={({ currentTarget: { value } }) =>
                list.set({ order: value, direction: value === 'title' ? 'asc' : 'desc' })
              }
              data={sorts.map((value) => ({ value, label: t(`sort.${value}`) }))}
            />
          </>
        }
        empty={
          <EmptyState icon={IconMail} title={t('empty.title')} action={create}>
            {t('empty.text')}
          </EmptyState>
        }
      />
    </Page>
  );
}

function Title({ campaign }: { campaign: Campaign }) {
  const t = useTexts('campaigns');
  const { dateTime, relative } = useFormats();
  const { scheduled_at, sent_at, modified, schedule_zone } = campaign;
  const when =
    sent_at !== null
      ? t('when.sent', { time: dateTime(sent_at) })
      : scheduled_at !== null
        ? t('when.scheduled', { time: dateTime(scheduled_at, schedule_zone ?? undefined) })
        : t('when.modified', { time: relative(modified) });
  return (
    <span className={classes.row}>
      <Thumbnail url={campaign.thumbnail_url} />
      <span className={classes.cell}>
        <span className={classes.title}>{campaign.title}</span>
        <Text component="span" size="xs" c="dimmed" className={classes.subject}>
          <bdi>{campaign.subject || t('noSubject')}</bdi>
        </Text>
        <span className={classes.state}>
          <CampaignState campaign={campaign} />
          <Text component="span" size="xs" c="dimmed">
            {isUnderWay(campaign) && campaign.delivery ? <Progress campaign={campaign} /> : when}
          </Text>
        </span>
      </span>
    </span>
  );
}

/** The mail itself, small; no script runs in it and nothing in it can be reached. */
function Thumbnail({ url }: { url: string | null }) {
  return (
    <span className={classes.thumbnail} aria-hidden="true">
      {url === null ? (
        <IconMail size={18} stroke={1.75} />
      ) : (
        <iframe title="" sandbox="" tabIndex={-1} loading="lazy" src={url} />
      )}
    </span>
  );
}

function Progress({ campaign }: { campaign: Campaign }) {
  const t = useTexts('campaigns');
  const { number } = useFormats();
  const { accepted = 0, audience = 0 } = campaign.delivery ?? {};
  return <>{t('sentOf', { sent: number(accepted), count: audience, total: number(audience) })}</>;
}

/** The share with the count below it; a dash while there is nothing to tell. */
function Figure({
  campaign,
  name,
}: {
  campaign: Campaign;
  name: 'delivered' | 'opens' | 'clicks';
}) {
  const t = useTexts('campaigns');
  const { number, percent } = useFormats();
  const { figures } = campaign;
  if (figures === null || figures.sent === 0) return <span aria-label={t('noFigure')}>–</span>;
  const whole = name === 'delivered' ? figures.sent : figures.delivered;
  return (
    <span className={classes.figure} title={t(`figures.${name}`)}>
      <span>{percent(whole === 0 ? 0 : figures[name] / whole)}</span>
      <Text component="span" size="xs" c="dimmed">
        {number(figures[name])}
      </Text>
    </span>
  );
}

function useActs() {
  const t = useTexts('campaigns');
  const navigate = useNavigate();
  const remove = async (campaign: Campaign) => {
    const params = { id: campaign.id };
    try {
      await api('DELETE /client-api/api/campaigns/{id}', { params });
      undoable(t('deleted', { title: campaign.title }), () => {
        void api('POST /client-api/api/campaigns/{id}/restore', { params })
          .then(() => touch(LIST))
          .catch(showError);
      });
    } catch (error) {
      showError(error);
    }
    await touch(LIST);
  };
  const rename = async ({ id, title, revision }: Campaign) => {
    await askInput({
      type: 'text',
      title: t('rename.title'),
      label: t('fields.title'),
      value: title,
      maxChar: TITLE_MOST,
      confirm: t('rename.confirm'),
      send: async (value) => {
        const body = { title: String(value), revision };
        await api('PATCH /client-api/api/campaigns/{id}', { params: { id }, body });
      },
    });
    await touch(LIST);
  };
  const duplicate = async ({ id, title }: Campaign) => {
    try {
      const body = { title: t('copyOf', { title }).slice(0, TITLE_MOST) };
      await api('POST /client-api/api/campaigns/{id}/duplicate', { params: { id }, body });
      toast(t('duplicated', { title }));
    } catch (error) {
      showError(error);
    }
    await touch(LIST);
  };
  return [
    {
      label: t('acts.open'),
      run: (one: Campaign) => void navigate({ to: pathOf(one) }),
    },
    { label: t('acts.duplicate'), run: duplicate },
    { label: t('acts.rename'), run: rename },
    { label: t('acts.delete'), isDanger: true, run: remove },
  ];
}
