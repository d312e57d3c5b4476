// Each link of a text with its clicks.
import { Anchor, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useFormats } from '#platform/web/formats.ts';
import { useTexts } from '#platform/web/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { reportPath } from './paths.ts';
import { api } from './queries.ts';

export function ReportLinks({ id }: { id: string }) {
  const t = useTexts('sms');
  const { number } = useFormats();
  const links = useQuery(
    api.query('GET /client-api/api/sms/campaign/{id}/report/links', { params: { id } }),
  );
  if (links.isLoadingError)
    return <FailedState error={links.error} retry={() => void links.refetch()} />;
  if (!links.data) return <LoadingState rows={3} />;
  if (links.data.data.length === 0) return <Text c="dimmed">{t('report.noLinks')}</Text>;
  return (
    <Table.ScrollContainer minWidth={320}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('report.link')}</Table.Th>
            <Table.Th ta="end">{t('report.clicks')}</Table.Th>
            <Table.Th ta="end">{t('report.people')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {links.data.data.map(({ id: link, url, clicks, people }) => (
            <Table.Tr key={link}>
              <Table.Td>
                <Anchor component={Link} to={`${reportPath(id, 'clicks')}/${link}`}>
                  <bdi dir="ltr">{url}</bdi>
                </Anchor>
              </Table.Td>
              <Table.Td ta="end">{number(clicks)}</Table.Td>
              <Table.Td ta="end">{number(people)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
