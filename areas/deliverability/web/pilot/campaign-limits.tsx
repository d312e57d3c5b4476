// Autopilot limits that slow or have slowed a campaign, each with its reason.
import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { client } from '#platform/web/api/api.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { CampaignLimit, campaignLimitCalls } from '../../pilot-contract.ts';
import { MAILBOX_TITLES } from '../../shared.ts';
import classes from '../deliverability.module.css';

const LIST_PATH = '/client-api/api/campaigns';
const api = client<ReturnType<typeof campaignLimitCalls<typeof LIST_PATH>>>();
const REFRESH_MS = 60_000;

interface CampaignLimitsProps {
  id: string;
  isSending: boolean;
}

/** Shows nothing for campaigns without a limit. */
export default function CampaignLimits({ id, isSending }: CampaignLimitsProps) {
  const t = useTexts('pilot');
  const limitsQuery = useQuery({
    ...api.query('GET /client-api/api/campaigns/{id}/limits', { params: { id } }),
    refetchInterval: isSending ? REFRESH_MS : false,
    // If this call returns 404, the screen must still show the campaign.
    meta: { notFound: 'inline' },
  });
  const limits = limitsQuery.data?.data ?? [];
  if (limits.length === 0) return null;
  return (
    <section className={classes.limits} aria-label={t('campaign.title')}>
      {limits.map((limit) => (
        <LimitLine key={limit.mailbox} limit={limit} />
      ))}
      <Anchor
        component={Link}
        to="/settings/deliverability"
        hash="pilot"
        underline="always"
        fz="sm"
      >
        {t('campaign.link')}
      </Anchor>
    </section>
  );
}

function LimitLine({ limit }: { limit: CampaignLimit }) {
  const t = useTexts('pilot');
  const { dateTime, number } = useFormats();
  const { mailbox, cause, count, of, per_hour: perHour, since, until } = limit;
  const kind = perHour === null ? 'engaged' : limit.is_engaged_only ? 'rateEngaged' : 'rate';
  const values = {
    ...{ provider: MAILBOX_TITLES[mailbox], amount: number(perHour ?? 0) },
    ...{ since: dateTime(since), until: until === null ? '' : dateTime(until) },
    reason: t(`campaign.reasons.${cause}`, { part: number(count), total: number(of) }),
  };
  return (
    <Text size="sm">{t(`campaign.${kind}${until === null ? 'Since' : 'Between'}`, values)}</Text>
  );
}
