// Step 4: summary, findings, and the button with the number of recipients and the time. After the
// campaign is scheduled or sent, the same page shows the progress of sending, with the actions
// pause, resume and cancel.
import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { IconCalendar, IconSend } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { notice } from '#platform/web/errors/notices.tsx';
import { invalidate, storeResponse } from '#platform/web/api/queries.ts';
import {
  BroadcastState,
  ExperimentSummary,
  CountedRecipients,
  RecipientCount,
  RepeatPanel,
  ScheduleDialog,
  SendingPanel,
  StepPage,
  useIsTooSmall,
  useRecipients,
  useTimingNote,
} from '#areas/broadcasts/web/index.ts';
import { ApprovalNote, RequestApproval } from '#areas/approvals/web/index.ts';
import { SendForecast } from '#areas/deliverability/web/index.ts';
import { ItemComments } from '#areas/folders/web/index.ts';
import { useMissingRight } from '#platform/web/session/rights.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { TestModeNote } from '#platform/web/ui/test-mode.tsx';
import {
  EmailPreview,
  Findings,
  InboxRow,
  TestEmailButton,
  usePlainPreview,
} from '../../content/web/index.ts';
import type { Campaign, Finding } from '../contract.ts';
import { getEmailPath } from './composing.ts';
import { stepPath } from './paths.ts';
import { PostalAddressDialog } from './postal-address.tsx';
import {
  api,
  LIST_PATH,
  listAffectedQueries,
  useCampaign,
  useLiveCampaign,
  useNewest,
} from './queries.ts';
import classes from './review-screen.module.css';
import { emailUi } from './ui.ts';
import { useVariantChoice } from './variant-choice.tsx';

const ResendPanel = lazyWithRetry(() => import('./resend-panel.tsx'));

export default function ReviewScreen() {
  const id = useParam('campaign');
  useLiveCampaign(id);
  const campaign = useCampaign(id);
  if (campaign.isLoadingError)
    return <FailedState error={campaign.error} retry={campaign.refetch} />;
  if (!campaign.data) return <LoadingState rows={6} />;
  return <Review campaign={campaign.data.data} />;
}

function Review({ campaign }: { campaign: Campaign }) {
  const t = useTexts('campaigns');
  const { id } = campaign;
  const [subscriberId, setSubscriberId] = useState<string | null>(null);
  const isDraft = campaign.status === 'DRAFT';
  const { email, editor, choice } = useVariantChoice(campaign);
  return (
    <StepPage
      ui={emailUi}
      campaign={campaign}
      step="review"
      status={isDraft ? undefined : <BroadcastState campaign={campaign} />}
      actions={
        <>
          <TestEmailButton email={email} subscriberId={subscriberId} />
          {isDraft && campaign.series === null && <SendButtons campaign={campaign} />}
        </>
      }
    >
      {isDraft && (
        <Suspense>
          <ApprovalNote subject={id} />
        </Suspense>
      )}
      <TestModeNote>{t(isDraft ? 'review.testMode' : 'review.testModeSent')}</TestModeNote>
      {!isDraft && <SendingPanel ui={emailUi} campaign={campaign} />}
      <div className={classes.columns}>
        <ReviewPanels campaign={campaign} subscriberId={subscriberId} />
        <div>
          {choice}
          <EmailPreview
            key={email.id}
            email={email}
            editor={editor}
            subscriberId={subscriberId}
            onSubscriberChange={setSubscriberId}
          />
        </div>
      </div>
    </StepPage>
  );
}

interface ReviewPanelsProps {
  campaign: Campaign;
  /** The subscriber whose copy is shown. */
  subscriberId: string | null;
}

function ReviewPanels({ campaign, subscriberId }: ReviewPanelsProps) {
  const { id } = campaign;
  const isDraft = campaign.status === 'DRAFT';
  return (
    <Stack gap="md">
      {isDraft && <Checks campaign={campaign} />}
      {isDraft && campaign.experiment && (
        <Suspense>
          <ExperimentSummary ui={emailUi} campaign={campaign} />
        </Suspense>
      )}
      <Summary campaign={campaign} subscriberId={subscriberId} />
      <Recipients campaign={campaign} />
      {isDraft && campaign.resend_of === null && (
        <Suspense>
          <SendForecast id={id} revision={campaign.revision} />
        </Suspense>
      )}
      <RepeatPanel ui={emailUi} campaign={campaign} />
      <Suspense>
        <ResendPanel campaign={campaign} />
      </Suspense>
      <Suspense>
        <ItemComments base={LIST_PATH} id={id} />
      </Suspense>
    </Stack>
  );
}

function Recipients({ campaign }: { campaign: Campaign }) {
  const t = useTexts('campaigns');
  const isDraft = campaign.status === 'DRAFT';
  return (
    <Paper withBorder p="md">
      <Head
        title={t('steps.recipients')}
        to={isDraft ? stepPath(campaign.id, 'recipients') : undefined}
      />
      <Text size="sm" mb="sm">
        <ChosenRecipients campaign={campaign} />
      </Text>
      {campaign.exclude_tags.length + campaign.exclude_filters.length > 0 && (
        <Text size="sm" c="dimmed" mb="sm">
          {t('review.without', {
            groups: joinTitles(campaign.exclude_tags, campaign.exclude_filters),
          })}
        </Text>
      )}
      <NumberOfRecipients campaign={campaign} />
    </Paper>
  );
}

/** The selected recipients. */
function ChosenRecipients({
  campaign: { resend_of, send_to_all, tags, filters },
}: {
  campaign: Campaign;
}) {
  const t = useTexts('campaigns');
  if (resend_of !== null) return t('recipients.unopened');
  if (send_to_all) return t('broadcasts:recipients.everybody');
  return joinTitles(tags, filters) || t('broadcasts:recipients.none');
}

/** The expected recipients before sending, the actual ones once the audience is written. */
function NumberOfRecipients({ campaign: { id, delivery } }: { campaign: Campaign }) {
  if (delivery === null) return <RecipientCount ui={emailUi} id={id} />;
  const { audience: count, excluded } = delivery;
  const total = excluded.reduce((sumOfCounts, exclusion) => sumOfCounts + exclusion.count, count);
  return <CountedRecipients ui={emailUi} recipients={{ count, total, excluded }} />;
}

function Head({ title, to }: { title: string; to: string | undefined }) {
  const t = useTexts('campaigns');
  return (
    <Group justify="space-between" mb="xs">
      <Text component="h2" fw={600}>
        {title}
      </Text>
      {to && (
        <Button component={Link} to={to} size="compact-sm" variant="default">
          {t('review.edit')}
        </Button>
      )}
    </Group>
  );
}

function Summary({ campaign, subscriberId }: { campaign: Campaign; subscriberId: string | null }) {
  const t = useTexts('campaigns');
  // The subject rendered for the subscriber, or its source while it cannot be rendered.
  const plainQuery = usePlainPreview(
    getEmailPath(campaign.id),
    subscriberId,
    campaign.editor !== null,
  );
  const plainText = plainQuery.data?.data;
  const isDraft = campaign.status === 'DRAFT';
  return (
    <Paper withBorder p="md">
      <Head
        title={t('steps.settings')}
        to={isDraft ? stepPath(campaign.id, 'settings') : undefined}
      />
      <InboxRow
        from={campaign.from_name || toUnicodeDomain(campaign.from_email)}
        subject={plainText?.subject ?? campaign.subject}
        preheader={plainText?.preheader ?? campaign.preheader}
      />
      <dl className={classes.facts}>
        <dt>{t('composing:envelope.fromEmail')}</dt>
        <dd>
          <bdi dir="ltr">{toUnicodeDomain(campaign.from_email) || '–'}</bdi>
        </dd>
        {campaign.reply_to && (
          <>
            <dt>{t('composing:envelope.replyTo')}</dt>
            <dd>
              <bdi dir="ltr">{toUnicodeDomain(campaign.reply_to)}</bdi>
            </dd>
          </>
        )}
        {campaign.utm_campaign !== null && (
          <>
            <dt>{t('fields.measures')}</dt>
            <dd>
              <bdi>{campaign.utm_campaign || campaign.title}</bdi>
            </dd>
          </>
        )}
        <dt>{t('steps.design')}</dt>
        <dd>
          {t(
            campaign.editor === null
              ? 'composing:preview.none'
              : `composing:editor.${campaign.editor}`,
          )}
        </dd>
      </dl>
    </Paper>
  );
}

function useChecks(id: string) {
  return useQuery({
    ...api.query('GET /client-api/api/campaigns/{id}/checks', { params: { id } }),
    staleTime: 0,
  });
}

/**
 * Checks links: the server requests each linked page. This is slower than the other checks, so the
 * review does not wait for it.
 */
function useLinkChecks(campaign: Campaign) {
  return useQuery({
    ...api.query('GET /client-api/api/campaigns/{id}/checks/links', {
      params: { id: campaign.id },
    }),
    enabled: campaign.editor !== null,
    staleTime: 5 * 60_000,
    retry: false,
    // A failure must not replace the screen because the campaign can be sent without these checks.
    meta: { notFound: 'inline' },
  });
}

const SEVERITIES = ['error', 'warning', 'tip'];
const ROUTES = { settings: 'settings', content: 'design', recipients: 'recipients' } as const;

function Checks({ campaign }: { campaign: Campaign }) {
  const t = useTexts('campaigns');
  const { id } = campaign;
  const links = useLinkChecks(campaign);
  const checks = useChecks(id);
  const [isAddressOpen, setAddressOpen] = useState(false);
  if (checks.isLoadingError)
    return <FailedState error={checks.error} retry={() => void checks.refetch()} />;
  if (!checks.data) return <LoadingState rows={2} />;
  const findings = [...checks.data.data, ...(links.data?.data ?? [])].sort(
    (a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity),
  );
  const resolve = ({ step }: Finding) => {
    if (step === 'account') return { onClick: () => setAddressOpen(true) };
    if (step === 'plan') return { to: '/settings/billing/upgrade' };
    if (step === 'warm_up') return { to: '/settings/relays', hash: 'warm-ups' };
    return { to: stepPath(id, ROUTES[step]) };
  };
  return (
    <Paper withBorder p="md">
      <Text component="h2" fw={600} mb="xs">
        {t('composing:checks.title')}
      </Text>
      {findings.length === 0 ? (
        <Text size="sm" c="success">
          {t('composing:checks.fine')}
        </Text>
      ) : (
        <Findings findings={findings} resolve={resolve} />
      )}
      {links.isFetching && (
        <Text size="xs" c="dimmed" mt="xs" role="status">
          {t('composing:checks.asking')}
        </Text>
      )}
      <PostalAddressDialog
        isOpen={isAddressOpen}
        close={() => setAddressOpen(false)}
        onSaved={() => void invalidate(...listAffectedQueries(id))}
      />
    </Paper>
  );
}

/** Returns whether the draft can be sent, and the reason if not. */
function useReadiness(campaign: Campaign, count: number) {
  const t = useTexts('campaigns');
  const checks = useChecks(campaign.id);
  const isNewest = useNewest(campaign.id);
  const isTooSmall = useIsTooSmall(emailUi, campaign, count);
  const errors = (checks.data?.data ?? []).filter((finding) => finding.severity === 'error');
  const onlyAddress = errors.length > 0 && errors.every((finding) => finding.step === 'account');
  const isSendable = checks.data !== undefined && (errors.length === 0 || onlyAddress) && count > 0;
  const isReady = isSendable && isNewest && !isTooSmall;
  const blockedKey = errors.length > 0 ? 'send.blocked' : 'send.noRecipients';
  const checksReason = isSendable || !checks.data ? undefined : t(blockedKey);
  return {
    onlyAddress,
    isFine: isSendable,
    isReady,
    blockedReason: isTooSmall ? t('send.small') : checksReason,
  };
}

interface ApprovalProps {
  campaign: Campaign;
  isReady: boolean;
  blockedReason: string | undefined;
}

/** Shown instead of the sending buttons to users without the right to send. */
function ApprovalButton({
  campaign: { id, revision, timing },
  isReady,
  blockedReason,
}: ApprovalProps) {
  return (
    <Suspense>
      <RequestApproval
        call={{
          method: 'POST',
          path: `${LIST_PATH}/${id}/schedule`,
          body: { schedule_time: null, revision },
        }}
        hasTime
        needsTime={timing.when === 'own_time'}
        isDisabled={!isReady}
        disabledReason={blockedReason}
      />
    </Suspense>
  );
}

function SendButtons({ campaign }: { campaign: Campaign }) {
  const t = useTexts('campaigns');
  const { number } = useFormats();
  const navigate = useNavigate();
  const { id } = campaign;
  const recipients = useRecipients(emailUi, id);
  const [isScheduling, setScheduling] = useState(false);
  const [isAddressOpen, setAddressOpen] = useState(false);
  const count = recipients.data?.data.count ?? 0;
  const { onlyAddress, isFine: isSendable, isReady, blockedReason } = useReadiness(campaign, count);
  // A campaign that is sent at the same local time in every time zone needs a schedule time, so it
  // cannot be sent now.
  const isOwnTime = campaign.timing.when === 'own_time';
  const sendNow = useSendNow(campaign, count);
  const send = () => (onlyAddress ? setAddressOpen(true) : void sendNow());
  const isMissingRight = useMissingRight('send') !== undefined;
  if (isMissingRight)
    return <ApprovalButton campaign={campaign} isReady={isReady} blockedReason={blockedReason} />;
  return (
    <>
      <Button
        variant="default"
        disabled={!isReady}
        title={blockedReason}
        leftSection={<IconCalendar size={18} stroke={1.75} />}
        onClick={() => (onlyAddress ? setAddressOpen(true) : setScheduling(true))}
      >
        {t('schedule.open')}
      </Button>
      <Button
        disabled={!isReady || isOwnTime}
        title={blockedReason ?? (isOwnTime ? t('broadcasts:timing.notNow') : undefined)}
        leftSection={<IconSend size={18} stroke={1.75} />}
        onClick={send}
      >
        {isSendable ? t('send.now', { count, total: number(count) }) : t('send.nowPlain')}
      </Button>
      <ScheduleDialog
        ui={emailUi}
        campaign={campaign}
        recipientCount={count}
        isOpen={isScheduling}
        close={() => setScheduling(false)}
        onDone={() => {
          notice(t('schedule.done'));
          void navigate({ to: '/campaigns' });
        }}
      />
      <PostalAddressDialog
        isOpen={isAddressOpen}
        close={() => setAddressOpen(false)}
        onSaved={() => void invalidate(...listAffectedQueries(id))}
      />
    </>
  );
}

function useSendNow(campaign: Campaign, count: number) {
  const t = useTexts('campaigns');
  const { number } = useFormats();
  const { id } = campaign;
  const timingNote = useTimingNote({ ui: emailUi, campaign });
  return async () => {
    const key = crypto.randomUUID();
    const message = t('send.message', { count, total: number(count), title: campaign.title });
    await confirm({
      title: t('send.title'),
      message: (await timingNote(count)) ?? message,
      confirm: t('send.confirm', { count, total: number(count) }),
      run: async () => {
        const response = await api('POST /client-api/api/campaigns/{id}/schedule', {
          params: { id },
          body: { schedule_time: null, revision: campaign.revision },
          idempotencyKey: key,
        });
        storeResponse(`${LIST_PATH}/${id}`, response);
      },
    });
    await invalidate(...listAffectedQueries(id));
  };
}

const joinTitles = (...lists: { title: string }[][]) =>
  lists
    .flat()
    .map((list) => list.title)
    .join(', ');
