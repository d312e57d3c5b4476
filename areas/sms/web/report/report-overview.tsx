// The overview of an SMS report: counters, the SMS with its cost and waiting recipients, attributed
// revenue, links, shares by country, and comments.
import { SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { ItemComments } from '#areas/folders/web/index.ts';
import { Earnings } from '#areas/stores/web/index.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import type { SmsCampaign } from '../../contract.ts';
import { CampaignPreview } from '../campaign/campaign-preview.tsx';
import { useVariantChoice } from '../campaign/variant-choice.tsx';
import { reportPath } from '../paths.ts';
import { api, LIST_PATH } from '../queries.ts';
import { SmsTestNote } from '../test-note.tsx';
import { ReportFacts } from './report-facts.tsx';
import { CampaignLinks } from './report-links.tsx';
import { ReportShares } from './report-shares.tsx';
import { ReportPage } from './report-page.tsx';
import { ReportCounters } from './report-parts.tsx';

export default function ReportOverview() {
  const t = useTexts('sms');
  const id = useParam('sms');
  return (
    <ReportPage id={id} view="overview">
      {(campaign) =>
        campaign.figures === null ? (
          <Text c="dimmed">{t('broadcasts:list.noFigure')}</Text>
        ) : (
          <>
            <ReportCounters
              counts={campaign.figures}
              paths={{
                clickRate: reportPath(id, 'clicks'),
                unsubscribed: reportPath(id, 'unsubscribes'),
                failed: reportPath(id, 'delivery-failed'),
              }}
            />
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg" mt="lg">
              <Stack gap="sm">
                <ReportFacts campaign={campaign} />
                <SmsTestNote />
              </Stack>
              <section aria-label={t('report.message')}>
                <SentPreview campaign={campaign} />
              </section>
            </SimpleGrid>
            <Sales id={id} recipients={campaign.figures.sent} />
            <Text component="h2" fw={600} mt="xl" mb="sm">
              {t('report.links')}
            </Text>
            <CampaignLinks id={id} />
            <ReportShares id={id} />
            <Suspense>
              <ItemComments base={LIST_PATH} id={id} />
            </Suspense>
          </>
        )
      }
    </ReportPage>
  );
}

function SentPreview({ campaign }: { campaign: SmsCampaign }) {
  const { campaign: shown, choice } = useVariantChoice(campaign);
  return <CampaignPreview campaign={shown} choice={choice} />;
}

function Sales({ id, recipients }: { id: string; recipients: number }) {
  const earnedQuery = useQuery(
    api.query('GET /client-api/api/sms/campaign/{id}/report/earned', { params: { id } }),
  );
  if (earnedQuery.isLoadingError) {
    return <FailedState error={earnedQuery.error} retry={() => void earnedQuery.refetch()} />;
  }
  return <Earnings earned={earnedQuery.data?.data ?? null} recipients={recipients} />;
}
