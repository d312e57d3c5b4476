// Sender, SMS parts, cost and waiting recipients of a campaign.
import { Paper, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { SmsCampaign } from '../../contract.ts';
import { useDepartureTime } from '../campaign/checks.tsx';
import { lookups } from '../queries.ts';
import classes from '../sms.module.css';
import { useSmsMode } from '../test-note.tsx';

export function ReportFacts({ campaign }: { campaign: SmsCampaign }) {
  const t = useTexts('sms');
  const { number } = useFormats();
  const departureTime = useDepartureTime();
  const cost = useCost(campaign.id);
  const { sender, figures, delivery } = campaign;
  const details = {
    from: <bdi dir="ltr">{sender}</bdi>,
    parts: number(figures?.parts ?? 0),
    cost,
    waiting:
      delivery && delivery.held > 0 && delivery.held_until
        ? t('when.from', {
            total: number(delivery.held),
            time: departureTime(delivery.held_until),
          })
        : null,
  };
  return (
    <Paper withBorder p="md" component="dl" className={classes.facts}>
      {Object.entries(details).map(
        ([name, value]) =>
          value !== null && (
            <div key={name}>
              <dt>{t(`report.${name}`)}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
      {details.waiting !== null && (
        <Text size="sm" c="dimmed">
          {t('when.why')}
        </Text>
      )}
    </Paper>
  );
}

/**
 * Returns the charged amount, or a note on who bills SMS that cost no credit; null until it is
 * known.
 */
function useCost(id: string): string | null {
  const t = useTexts('sms');
  const { money } = useFormats();
  const { isTest } = useSmsMode();
  const usageQuery = useQuery(
    lookups.query('GET /client-api/api/sms/campaign/{id}/report/shares', { params: { id } }),
  );
  if (!usageQuery.data) return null;
  const { currency, countries } = usageQuery.data.data;
  if (countries.length === 0) return null;
  const chargedCountries = countries.filter(({ micros }) => micros !== null);
  if (chargedCountries.length > 0) {
    const micros = chargedCountries.reduce((total, usageRow) => total + (usageRow.micros ?? 0), 0);
    return money(micros / 1_000_000, currency);
  }
  return t(isTest ? 'report.free' : 'report.byProvider');
}
