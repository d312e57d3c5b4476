// The list of SMS campaigns: states, statistics of sent campaigns, and actions.
import { Anchor, Text } from '@mantine/core';
import { IconMessage } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
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
import { replaceTags } from '#platform/tag-fallbacks.ts';
import { useLiveInvalidation } from '#platform/web/api/live-queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { ScreenLink } from '#platform/web/ui/screen-link.tsx';
import type { ListedSms, SmsCampaign } from '../../contract.ts';
import { smsCampaignPath, reportPath, stepPath } from '../paths.ts';
import { api, duplicateSms, LIST_PATH, useSmsSettings } from '../queries.ts';
import classes from '../sms.module.css';
import { smsUi } from '../ui.ts';

export default function SmsScreen() {
  const t = useTexts('sms');
  const { list, query } = useBroadcastList();
  const campaigns = useQuery({
    ...api.query('GET /client-api/api/sms/campaign', { query }),
    placeholderData: keepPreviousData,
  });
  useLiveInvalidation('sms', LIST_PATH);
  return (
    <BroadcastsPage
      rows={campaigns}
      list={list}
      icon={IconMessage}
      createPath="/sms/create"
      kind="sms"
      base={LIST_PATH}
      notice={<SetUp />}
      getPath={smsCampaignPath}
      texts={{
        title: t('title'),
        create: t('create'),
        searchLabel: t('find'),
        titleColumn: t('columns.title'),
        empty: t('empty.title'),
        emptyText: t('empty.text'),
      }}
      cell={(campaign) => <Title campaign={campaign} />}
      metricColumns={(['delivered', 'clicks', 'unsubscribes'] as const).map((id) => ({
        id,
        header: t(`columns.${id}`),
        cell: (smsCampaign: ListedSms) => <FigureCell campaign={smsCampaign} name={id} />,
      }))}
      actions={useActions()}
    />
  );
}

/** Links to the setup of SMS until it is complete. */
function SetUp() {
  const t = useTexts('sms');
  const settings = useSmsSettings().data?.data;
  if (!settings || settings.is_onboarded) return null;
  return (
    <Text size="sm" mb="md" role="note">
      {t('onboard.text')}{' '}
      <Anchor component={ScreenLink} to="/users/sms_onboard" underline="always" inherit>
        {t('onboard.title')}
      </Anchor>
    </Text>
  );
}

function Title({ campaign }: { campaign: ListedSms }) {
  const formatTime = useTimeText();
  return (
    <span className={classes.cell}>
      <bdi className={classes.title}>{campaign.title}</bdi>
      <PlaceTags placement={campaign.place} />
      <Text component="span" size="xs" c="dimmed" className={classes.words}>
        <bdi>{replaceTags(campaign.text)}</bdi>
      </Text>
      <span className={classes.state}>
        <BroadcastState campaign={campaign} />
        <Text component="span" size="xs" c="dimmed">
          {formatTime(campaign, campaign.schedule_zone ?? undefined)}
        </Text>
      </span>
    </span>
  );
}

function FigureCell({
  campaign: { figures },
  name,
}: {
  campaign: SmsCampaign;
  name: 'delivered' | 'clicks' | 'unsubscribes';
}) {
  const t = useTexts('sms');
  if (figures === null || figures.sent === 0) return <NoFigure />;
  const { sent, accepted, delivered } = figures;
  if (name !== 'delivered') return <ListFigure count={figures[name]} total={accepted} />;
  if (delivered !== null) return <ListFigure count={delivered} total={sent} />;
  return (
    <>
      <ListFigure count={accepted} total={sent} />
      <Text component="span" display="block" size="xs" c="dimmed">
        {t('report.sent')}
      </Text>
    </>
  );
}

function useActions() {
  const t = useTexts('sms');
  const pausing = usePauseActions<ListedSms>(smsUi);
  const navigate = useNavigate();
  const { remove, duplicate } = useListActs({
    list: LIST_PATH,
    remove: (id) => api('DELETE /client-api/api/sms/campaign/{id}', { params: { id } }),
    restore: (id) => api('POST /client-api/api/sms/campaign/{id}/restore', { params: { id } }),
    duplicate: duplicateSms,
  });
  const copyToAccount = useCopyToAccount((id, account) =>
    api('POST /client-api/api/sms/campaign/{id}/copy_to_account', {
      params: { id },
      body: { account },
      idempotencyKey: crypto.randomUUID(),
    }),
  );
  const navigateTo = (path: (smsCampaign: SmsCampaign) => string) => (smsCampaign: SmsCampaign) =>
    void navigate({ to: path(smsCampaign) });
  const isNot = (status: SmsCampaign['status']) => (smsCampaign: SmsCampaign) =>
    smsCampaign.status !== status;
  return [
    ...pausing,
    {
      label: t('acts.report'),
      isHidden: isNot('SENT'),
      run: navigateTo(({ id }) => reportPath(id)),
    },
    { label: t('acts.edit'), isHidden: isNot('DRAFT'), run: navigateTo(smsCampaignPath) },
    {
      label: t('acts.open'),
      isHidden: isNot('SCHEDULED'),
      run: navigateTo(({ id }) => stepPath(id, 'review')),
    },
    { label: t('acts.duplicate'), run: duplicate },
    copyToAccount,
    { label: t('acts.delete'), isDanger: true, isHidden: isInProgress, run: remove },
  ];
}
