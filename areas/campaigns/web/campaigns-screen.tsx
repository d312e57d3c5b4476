// The list of email campaigns: state, three statistics of sent ones, and actions.
import { Text } from '@mantine/core';
import { IconMail } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { computeEngagement } from '#areas/tracking/shared.ts';
import { PlaceTags } from '#areas/folders/web/index.ts';
import { isInProgress } from '#areas/broadcasts/is-sending.ts';
import {
  BroadcastState,
  BroadcastsPage,
  ListFigure,
  NoFigure,
  useBroadcastList,
  useCopyToAccount,
  useListActs,
  usePauseActions,
  useTimeText,
} from '#areas/broadcasts/web/index.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useLiveInvalidation } from '#platform/web/api/live-queries.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { promptInput } from '#platform/web/ui/input-dialog.tsx';
import type { Campaign, ListedCampaign } from '../contract.ts';
import { MAX_TITLE_LENGTH } from '../shared.ts';
import classes from './campaigns-screen.module.css';
import { campaignPath, reportPath, stepPath } from './paths.ts';
import { api, duplicateCampaign, LIST_PATH } from './queries.ts';
import { emailUi } from './ui.ts';
import { replaceTags } from '#platform/tag-fallbacks.ts';

export default function CampaignsScreen() {
  const t = useTexts('campaigns');
  const { list, query } = useBroadcastList();
  const campaigns = useQuery({
    ...api.query('GET /client-api/api/campaigns', { query }),
    placeholderData: keepPreviousData,
  });
  useLiveInvalidation('campaign', LIST_PATH);
  return (
    <BroadcastsPage
      rows={campaigns}
      list={list}
      icon={IconMail}
      createPath="/campaigns/create"
      kind="campaign"
      base={LIST_PATH}
      getPath={campaignPath}
      texts={{
        title: t('title'),
        create: t('create'),
        searchLabel: t('find'),
        titleColumn: t('columns.title'),
        empty: t('empty.title'),
        emptyText: t('empty.text'),
      }}
      cell={(campaign) => <Title campaign={campaign} />}
      metricColumns={(['delivered', 'opens', 'clicks'] as const).map((id) => ({
        id,
        header: t(`columns.${id}`),
        cell: (campaign: ListedCampaign) => <FigureCell campaign={campaign} name={id} />,
      }))}
      actions={useActions()}
    />
  );
}

function Title({ campaign }: { campaign: ListedCampaign }) {
  const t = useTexts('campaigns');
  const formatTime = useTimeText();
  return (
    <span className={classes.row}>
      <Thumbnail url={campaign.thumbnail_url} />
      <span className={classes.cell}>
        <span className={classes.title}>{campaign.title}</span>
        <PlaceTags placement={campaign.place} />
        <span className={classes.state}>
          <BroadcastState campaign={campaign} />
          <Text component="span" size="xs" c="dimmed">
            {isInProgress(campaign) && campaign.delivery ? (
              <Progress campaign={campaign} />
            ) : (
              formatTime(campaign)
            )}
          </Text>
          <Text component="span" size="xs" c="dimmed" className={classes.subject}>
            <bdi>{replaceTags(campaign.subject) || t('noSubject')}</bdi>
          </Text>
        </span>
        <Rates campaign={campaign} />
      </span>
    </span>
  );
}

/** Shown on phones, which have no space for columns. */
function Rates({ campaign: { figures } }: { campaign: Campaign }) {
  const t = useTexts('campaigns');
  const { percent } = useFormats();
  if (figures === null || figures.sent === 0) return null;
  const { opens, clicks } = computeEngagement(figures);
  return (
    <span className={classes.rates}>
      <span>
        {t('columns.opens')} <b>{percent(opens.share)}</b>
      </span>
      <span>
        {t('columns.clicks')} <b>{percent(clicks.share)}</b>
      </span>
    </span>
  );
}

/** The email itself, scaled down; it runs no script and is not interactive. */
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

function FigureCell({
  campaign,
  name,
}: {
  campaign: Campaign;
  name: 'delivered' | 'opens' | 'clicks';
}) {
  const t = useTexts('campaigns');
  const { number } = useFormats();
  const { figures } = campaign;
  if (figures === null || figures.sent === 0) return <NoFigure />;
  // Human counts, as everywhere; machine counts appear in the tooltip.
  const count = name === 'delivered' ? figures.delivered : figures[`human_${name}`];
  const machines = figures[name] - count;
  const machineNote = machines > 0 ? ` ${t('figures.machines', { count: number(machines) })}` : '';
  return (
    <ListFigure
      count={count}
      total={name === 'delivered' ? figures.sent : figures.delivered}
      title={t(`figures.${name}`) + machineNote}
    />
  );
}

function useActions() {
  const t = useTexts('campaigns');
  const pausing = usePauseActions<ListedCampaign>(emailUi);
  const navigate = useNavigate();
  const { remove, duplicate } = useListActs({
    list: LIST_PATH,
    remove: (id) => api('DELETE /client-api/api/campaigns/{id}', { params: { id } }),
    restore: (id) => api('POST /client-api/api/campaigns/{id}/restore', { params: { id } }),
    duplicate: duplicateCampaign,
  });
  const copyToAccount = useCopyCampaign();
  const rename = useRename();
  const navigateTo = (path: (campaign: Campaign) => string) => (campaign: Campaign) =>
    void navigate({ to: path(campaign) });
  const isSent = ({ status }: Campaign) => status === 'SENT';
  return [
    ...pausing,
    {
      label: t('acts.report'),
      isHidden: (campaign: Campaign) => !isSent(campaign),
      run: navigateTo(getReportPath),
    },
    {
      label: t('acts.sending'),
      isHidden: (campaign: Campaign) => !isSent(campaign),
      run: navigateTo(getReviewPath),
    },
    {
      label: t('acts.edit'),
      isHidden: (campaign: Campaign) => campaign.status !== 'DRAFT',
      run: navigateTo(campaignPath),
    },
    {
      label: t('acts.open'),
      isHidden: (campaign: Campaign) => campaign.status !== 'SCHEDULED',
      run: navigateTo(getReviewPath),
    },
    { label: t('acts.duplicate'), run: duplicate },
    copyToAccount,
    { label: t('acts.rename'), run: rename },
    {
      label: t('acts.delete'),
      isDanger: true,
      isHidden: isInProgress,
      run: remove,
    },
  ];
}

function useCopyCampaign() {
  return useCopyToAccount((id, account) =>
    api('POST /client-api/api/campaigns/{id}/copy_to_account', {
      params: { id },
      body: { account },
      idempotencyKey: crypto.randomUUID(),
    }),
  );
}

function useRename() {
  const t = useTexts('campaigns');
  return async ({ id, title, revision }: Campaign) => {
    await promptInput({
      type: 'text',
      title: t('rename.title'),
      label: t('fields.title'),
      value: title,
      maxLength: MAX_TITLE_LENGTH,
      confirm: t('rename.confirm'),
      send: async (value) => {
        const body = { title: String(value), revision };
        await api('PATCH /client-api/api/campaigns/{id}', { params: { id }, body });
      },
    });
    await invalidate(LIST_PATH);
  };
}

const getReviewPath = ({ id }: Campaign) => stepPath(id, 'review');
const getReportPath = ({ id }: Campaign) => reportPath(id);
