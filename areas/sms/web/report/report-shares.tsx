// Sent SMS, parts and cost by country and by provider.
import { Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { SmsUsage } from '../../lookups-contract.ts';
import { lookups } from '../queries.ts';

export function ReportShares({ id }: { id: string }) {
  const t = useTexts('sms');
  const { region } = useFormats();
  const usageQuery = useQuery(
    lookups.query('GET /client-api/api/sms/campaign/{id}/report/shares', { params: { id } }),
  );
  if (usageQuery.isLoadingError)
    return <FailedState error={usageQuery.error} retry={() => void usageQuery.refetch()} />;
  if (!usageQuery.data) return <LoadingState rows={3} />;
  const { currency, countries, providers } = usageQuery.data.data;
  if (countries.length === 0) return null;
  const getPlaceName = (name: string) => (name === '' ? t('report.nowhere') : region(name));
  return (
    <>
      <UsageTable
        title={t('report.country')}
        rows={countries}
        getName={getPlaceName}
        currency={currency}
      />
      <UsageTable
        title={t('report.provider')}
        rows={providers}
        getName={(name) => name}
        currency={currency}
      />
    </>
  );
}

interface SharesProps {
  title: string;
  rows: readonly SmsUsage[];
  getName: (name: string) => string;
  currency: string;
}

function UsageTable({ title, rows, getName, currency }: SharesProps) {
  const t = useTexts('sms');
  const { number, money } = useFormats();
  const isPaid = rows.some(({ micros }) => micros !== null);
  return (
    <Table.ScrollContainer minWidth={320} mt="xl">
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{title}</Table.Th>
            <Table.Th ta="end">{t('report.sent')}</Table.Th>
            <Table.Th ta="end">{t('report.failed')}</Table.Th>
            <Table.Th ta="end">{t('report.parts')}</Table.Th>
            {isPaid && <Table.Th ta="end">{t('report.cost')}</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ name, accepted, undelivered, parts, micros }) => (
            <Table.Tr key={name}>
              <Table.Td>
                <Text component="span" size="sm">
                  <bdi>{getName(name)}</bdi>
                </Text>
              </Table.Td>
              <Table.Td ta="end">{number(accepted)}</Table.Td>
              <Table.Td ta="end">{number(undelivered)}</Table.Td>
              <Table.Td ta="end">{number(parts)}</Table.Td>
              {isPaid && <Table.Td ta="end">{money((micros ?? 0) / 1_000_000, currency)}</Table.Td>}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
