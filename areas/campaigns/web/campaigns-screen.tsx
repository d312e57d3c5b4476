// All email campaigns: state, the three figures of those that were sent, and what can be done.
import { ActionIcon, Button, Group, NativeSelect, SegmentedControl, Text } from '@mantine/core';
import { IconMail, IconPlus, IconSortAscending, IconSortDescending } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { isUnderWay } from '#areas/broadcasts/under-way.ts';
import { BroadcastState, usePauseActions } from '#areas/broadcasts/web/index.ts';
import { oneOf } from '#platform/web/address.ts';
import { showError } from '#platform/web/errors.ts';
import { useFormats } from '#platform/web/formats.ts';
import { type Direction, useListAddress } from '#platform/web/list-address.ts';
import { useLiveTouch } from '#platform/web/live-looks.ts';
import { toast, undoable } from '#platform/web/notices.tsx';
import { touch } from '#platform/web/queries.ts';
import { useTexts } from '#platform/web/texts.ts';
import { DataTable } from '#platform/web/ui/data-table.tsx';
import { askInput } from '#platform/web/ui/input-dialog.tsx';
import { Page } from '#platform/web/ui/page.tsx';
import { EmptyState } from '#platform/web/ui/states.tsx';
import type { Campaign } from '../contract.ts';
import { TITLE_MOST } from '../limits.ts';
import classes from './campaigns-screen.module.css';
import { pathOf, reportPath, stepPath } from './paths.ts';
import { api, duplicateCampaign, LIST } from './queries.ts';
import { emailUi } from './ui.ts';
import { withoutTags } from '../without-tags.ts';

const sorts = ['created', 'modified', 'title'] as const;
const more = { status: oneOf(['all', 'DRAFT', 'SCHEDULED', 'SENT'], 'all') };

export default function CampaignsScreen() {
  const t = useTexts('campaigns');
  const list = useListAddress({ sorts, direction: 'desc', more });
  const { status, order, direction } = list.values;
  const campaigns = useQuery({
    ...api.query('GET /client-api/api/campaigns', {
      query: { ...list.query, ...(status === 'all' ? {} : { status }) },
    }),
    placeholderData: keepPreviousData,
  });
  useLiveTouch('campaign', LIST);
  const actions = useActions();
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
        actions={actions}
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
            <Sorting order={order} direction={direction} set={list.set} />
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

/** What the list is sorted by, and which way; the newest come first, names from their beginning. */
function Sorting(props: {
  order: string;
  direction: Direction;
  set: (change: { order?: string; direction: Direction }) => void;
}) {
  const { order, direction, set } = props;
  const t = useTexts('campaigns');
  const isUp = direction === 'asc';
  const Icon = isUp ? IconSortAscending : IconSortDescending;
  return (
    <Group gap={4} wrap="nowrap">
      <NativeSelect
        w={170}
        aria-label={t('sort.label')}
        value={order}
        onChange={({ currentTarget: { value } }) =>
          set({ order: value, direction: value === 'title' ? 'asc' : 'desc' })
        }
        data={sorts.map((value) => ({ value, label: t(`sort.${value}`) }))}
      />
      <ActionIcon
        variant="default"
        size={36}
        aria-label={t(`sort.${direction}`)}
        title={t(`sort.${direction}`)}
        onClick={() => set({ direction: isUp ? 'desc' : 'asc' })}
      >
        <Icon size={18} stroke={1.75} />
      </ActionIcon>
    </Group>
  );
}

function Title({ campaign }: { campaign: Campaign }) {
  const t = useTexts('campaigns');
  const { dateTime, relative } = useFormats();
  const { scheduled_at, sent_at, modified } = campaign;
  const when =
    sent_at !== null
      ? t('when.sent', { time: dateTime(sent_at) })
      : scheduled_at !== null
        ? t('when.scheduled', { time: dateTime(scheduled_at) })
        : t('when.modified', { time: relative(modified) });
  return (
    <span className={classes.row}>
      <Thumbnail url={campaign.thumbnail_url} />
      <span className={classes.cell}>
        <span className={classes.title}>{campaign.title}</span>
        <Text component="span" size="xs" c="dimmed" className={classes.subject}>
          <bdi>{withoutTags(campaign.subject) || t('noSubject')}</bdi>
        </Text>
        <span className={classes.state}>
          <BroadcastState campaign={campaign} />
          <Text component="span" size="xs" c="dimmed">
            {isUnderWay(campaign) && campaign.delivery ? <Progress campaign={campaign} /> : when}
          </Text>
        </span>
        <Rates campaign={campaign} />
      </span>
    </span>
  );
}

/** On a phone, where there is no room for columns. */
function Rates({ campaign: { figures } }: { campaign: Campaign }) {
  const t = useTexts('campaigns');
  const { percent } = useFormats();
  if (figures === null || figures.sent === 0) return null;
  const { delivered, human_opens: opens, human_clicks: clicks } = figures;
  const share = (count: number) => percent(delivered === 0 ? 0 : count / delivered);
  return (
    <span className={classes.rates}>
      <span>
        {t('columns.opens')} <b>{share(opens)}</b>
      </span>
      <span>
        {t('columns.clicks')} <b>{share(clicks)}</b>
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
  // By people, as everywhere; what only machines did is told when it is pointed at.
  const count = name === 'delivered' ? figures.delivered : figures[`human_${name}`];
  const machines = figures[name] - count;
  const told = machines > 0 ? ` ${t('figures.machines', { count: number(machines) })}` : '';
  return (
    <span className={classes.figure} title={t(`figures.${name}`) + told}>
      <span>{percent(whole === 0 ? 0 : count / whole)}</span>
      <Text component="span" size="xs" c="dimmed">
        {number(count)}
      </Text>
    </span>
  );
}

function useActions() {
  const t = useTexts('campaigns');
  const pausing = usePauseActions<Campaign>(emailUi);
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
    await duplicateCampaign(id, t('copyOf', { title }))
      .then(() => toast(t('duplicated', { title })))
      .catch(showError);
    await touch(LIST);
  };
  const open = (path: (one: Campaign) => string) => (one: Campaign) =>
    void navigate({ to: path(one) });
  const isSent = ({ status }: Campaign) => status === 'SENT';
  return [
    ...pausing,
    { label: t('acts.report'), isHidden: (one: Campaign) => !isSent(one), run: open(reportOf) },
    { label: t('acts.sending'), isHidden: (one: Campaign) => !isSent(one), run: open(reviewOf) },
    {
      label: t('acts.edit'),
      isHidden: (one: Campaign) => one.status !== 'DRAFT',
      run: open(pathOf),
    },
    {
      label: t('acts.open'),
      isHidden: (one: Campaign) => one.status !== 'SCHEDULED',
      run: open(reviewOf),
    },
    { label: t('acts.duplicate'), run: duplicate },
    { label: t('acts.rename'), run: rename },
    {
      label: t('acts.delete'),
      isDanger: true,
      isHidden: isUnderWay,
      run: remove,
    },
  ];
}

const reviewOf = ({ id }: Campaign) => stepPath(id, 'review');
const reportOf = ({ id }: Campaign) => reportPath(id);
