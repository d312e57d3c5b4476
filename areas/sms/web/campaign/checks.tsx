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
import { compliancePath, stepPath } from '../paths.ts';
import { api } from '../queries.ts';

export function useChecks(id: string) {
  return useQuery({
    ...api.query('GET /client-api/api/sms/campaign/{id}/checks', { params: { id } }),
    staleTime: 0,
  });
}

export function Checks({ campaign }: { campaign: SmsCampaign }) {
  const t = useTexts('sms');
  const { number, money, dateTime } = useFormats();
  const findingText = useFindingText();
  const checks = useChecks(campaign.id);
  if (checks.isLoadingError)
    return <FailedState error={checks.error} retry={() => void checks.refetch()} />;
  if (!checks.data) return <LoadingState rows={2} />;
  const { findings, parts, cost, waits } = checks.data.data;
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
      {waits.length > 0 && (
        <List size="sm" c="dimmed" mt="xs" withPadding>
          {waits.slice(0, MAX_WAITS).map(({ until, count }) => (
            <List.Item key={until}>
              {t('checks.waits', { total: number(count), time: dateTime(until) })}
            </List.Item>
          ))}
        </List>
      )}
      <Text size="sm" c="dimmed" mt="sm">
        {t('checks.parts', { count: parts, total: number(parts) })}
        {cost &&
          ` · ${t('cost.whole', {
            cost: money(cost.micros / 1_000_000, cost.currency),
            free: money(cost.free_micros / 1_000_000, cost.currency),
          })}`}
      </Text>
    </Paper>
  );
}

const MAX_WAITS = 6;

function useFindingText() {
  const t = useTexts('sms');
  const { number, money, region, list } = useFormats();
  return ({ code, values = {} }: SmsFinding): string => {
    const { count, countries, currency, ...others } = values;
    const shown: typeof values = { ...others };
    if (count !== undefined) shown.total = number(Number(count));
    if (typeof countries === 'string')
      shown.countries = list(countries.split(',').map((one) => (one === '?' ? one : region(one))));
    for (const name of ['micros', 'free']) {
      if (values[name] !== undefined)
        shown[name] = money(Number(values[name]) / 1_000_000, String(currency));
    }
    return t(`checks.${code}`, shown);
  };
}

function Resolve({ campaign, finding }: { campaign: SmsCampaign; finding: SmsFinding }) {
  const t = useTexts('sms');
  const { id, phone_id } = campaign;
  const { step, code } = finding;
  if (step === 'credit') return <CreditLink />;
  // Quiet hours resolve themselves.
  if (code === 'quiet_hours') return null;
  const to =
    step === 'phone' && phone_id
      ? compliancePath(phone_id)
      : stepPath(id, step === 'recipients' ? 'recipients' : 'settings');
  return (
    <Anchor component={Link} to={to} size="sm" underline="always">
      {t('checks.resolve')}
    </Anchor>
  );
}
