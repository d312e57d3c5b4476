// The checks before an SMS campaign is sent: findings with links to resolve them, waiting
// recipients, and the cost.
import { Anchor, List, Paper, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { SmsCampaign, SmsFinding } from '../../contract.ts';
import { CreditLink } from './cost.tsx';
import { useFindingText } from './finding-text.ts';
import { compliancePath, stepPath } from '../paths.ts';
import { api } from '../queries.ts';
import { rememberReturn } from '../return-target.ts';
import { useSmsMode } from '../test-note.tsx';

export function useChecks(id: string) {
  return useQuery({
    ...api.query('GET /client-api/api/sms/campaign/{id}/checks', { params: { id } }),
    staleTime: 0,
  });
}

export function Checks({ campaign }: { campaign: SmsCampaign }) {
  const t = useTexts('sms');
  const { number, money } = useFormats();
  const departures = useDepartures();
  const findingText = useFindingText();
  const { isTest, isFree } = useSmsMode();
  const checks = useChecks(campaign.id);
  if (checks.isLoadingError)
    return <FailedState error={checks.error} retry={() => void checks.refetch()} />;
  if (!checks.data) return <LoadingState rows={2} />;
  const { parts, cost, waits, reachable } = checks.data.data;
  // The line with the sending times already shows which recipients get the SMS later, and when.
  const findings = checks.data.data.findings.filter(({ code }) => code !== 'quiet_hours');
  return (
    <Paper withBorder p="md">
      <Text component="h2" fw={600} mb="xs">
        {t('checks.title')}
      </Text>
      {findings.length === 0 ? (
        <Text size="sm" c="success">
          {t('checks.fine')}
        </Text>
      ) : (
        <List spacing="xs" size="sm">
          {findings.map((finding) => (
            <List.Item key={finding.code} c={finding.severity === 'error' ? 'danger' : undefined}>
              {findingText(finding)} <Resolve campaign={campaign} finding={finding} />
            </List.Item>
          ))}
        </List>
      )}
      {reachable > 0 && (
        <Text fw={600} mt="sm">
          {departures(checks.data.data, campaign.scheduled_at)}
        </Text>
      )}
      {waits.length > 0 && (
        <Text size="sm" c="dimmed">
          {t('when.why')}
        </Text>
      )}
      <Text size="sm" c="dimmed" mt="sm">
        {t('checks.parts', { count: parts, total: number(parts) })}
        {cost &&
          ` · ${t('cost.whole', {
            cost: money(cost.micros / 1_000_000, cost.currency),
            free: money(cost.free_micros / 1_000_000, cost.currency),
          })}`}
        {isTest && isFree && ` · ${t('report.free')}`}
      </Text>
    </Paper>
  );
}

/** The line with the sending times lists at most this many later times. */
const MAX_WAITS = 3;

/** Formats the time of sending, with the date if it is on another day. */
export function useDepartureTime() {
  const { date, time, dateTime } = useFormats();
  return (instant: string): string =>
    date(instant) === date(new Date()) ? time(instant) : dateTime(instant);
}

type Departures = { reachable: number; waits: readonly { until: string; count: number }[] };

/** Describes when the recipients get their SMS: "35 now, 7 from 6:00". */
export function useDepartures() {
  const t = useTexts('sms');
  const { number, list } = useFormats();
  const departureTime = useDepartureTime();
  return ({ reachable, waits }: Departures, scheduledAt: string | null): string => {
    const sumWaits = (waitList: Departures['waits']) =>
      waitList.reduce((total, { count }) => total + count, 0);
    const reachableNow = reachable - sumWaits(waits);
    const laterCount = sumWaits(waits.slice(MAX_WAITS));
    const departure = scheduledAt === null ? undefined : departureTime(scheduledAt);
    return list(
      [
        reachableNow > 0 &&
          t(departure ? 'when.at' : 'when.now', { total: number(reachableNow), time: departure }),
        ...waits
          .slice(0, MAX_WAITS)
          .map(({ until, count }) =>
            t('when.from', { total: number(count), time: departureTime(until) }),
          ),
        laterCount > 0 && t('when.later', { total: number(laterCount) }),
      ].filter((segment) => segment !== false),
      'unit',
    );
  };
}

function Resolve({ campaign, finding }: { campaign: SmsCampaign; finding: SmsFinding }) {
  const t = useTexts('sms');
  const { id, phone_id } = campaign;
  const { step } = finding;
  if (step === 'credit') return <CreditLink />;
  const href =
    step === 'phone' && phone_id
      ? compliancePath(phone_id)
      : stepPath(id, step === 'recipients' ? 'recipients' : 'settings');
  return (
    <Anchor
      component={Link}
      to={href}
      size="sm"
      underline="always"
      onClick={() =>
        rememberReturn({ to: stepPath(id, 'review'), kind: 'campaign', takesSender: false })
      }
    >
      {t('checks.resolve')}
    </Anchor>
  );
}
