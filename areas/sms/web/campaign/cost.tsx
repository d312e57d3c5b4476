// The number of parts of an SMS before it is sent, and their cost if SMS cost credit.
import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { lookups } from '../queries.ts';
import { useSmsMode } from '../test-note.tsx';

export function CreditLink() {
  const t = useTexts('sms');
  return (
    <Anchor component={Link} to="/sms-credits-purchase" size="sm" underline="always">
      {t('cost.buy')}
    </Anchor>
  );
}

/** `parts` is the number of parts of the longest copy; undefined until it is known. */
export function CostLine({
  campaign,
  parts,
}: {
  campaign: string | undefined;
  parts: number | undefined;
}) {
  const t = useTexts('sms');
  const { number, money } = useFormats();
  const { isTest, isFree } = useSmsMode();
  const estimate = useQuery({
    ...lookups.query('GET /client-api/api/sms/cost', { query: campaign ? { campaign } : {} }),
    staleTime: 0,
  });
  if (!estimate.data || parts === undefined) return null;
  const { recipients, is_chosen: isChosen, cost } = estimate.data.data;
  const totalParts = recipients * parts;
  const choice = isChosen ? 'chosen' : 'all';
  const isCreditInsufficient = cost !== null && cost.micros * parts > cost.free_micros;
  return (
    <Text size="sm" c={isCreditInsufficient ? 'danger' : 'dimmed'}>
      {t(`cost.${choice}`, { total: number(totalParts) })}
      {cost &&
        ` · ${t('cost.whole', {
          cost: money((cost.micros * parts) / 1_000_000, cost.currency),
          free: money(cost.free_micros / 1_000_000, cost.currency),
        })}`}{' '}
      {isCreditInsufficient && <CreditLink />}
      {isTest && isFree && ` · ${t('report.free')}`}
    </Text>
  );
}

/** The cost of an automated SMS, averaged over the account's SMS subscribers. */
export function CostPerSubscriber({ parts }: { parts: number | undefined }) {
  const t = useTexts('sms');
  const { money } = useFormats();
  const { isTest, isFree } = useSmsMode();
  const estimate = useQuery(lookups.query('GET /client-api/api/sms/cost', { query: {} }));
  if (!estimate.data || parts === undefined) return null;
  const { recipients, cost } = estimate.data.data;
  if (cost === null || recipients === 0) {
    return isTest && isFree ? (
      <Text size="xs" c="dimmed">
        {t('report.free')}
      </Text>
    ) : null;
  }
  const perRecipient = (cost.micros * parts) / recipients / 1_000_000;
  return (
    <Text size="xs" c="dimmed">
      {t('cost.each', { cost: money(perRecipient, cost.currency, 4) })}
    </Text>
  );
}
