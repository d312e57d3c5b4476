// The screen to edit a segment.
import { useQuery } from '@tanstack/react-query';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { SEGMENTS_PATH, api } from './queries.ts';
import { toSavedSegment, SegmentEditor } from './segment-editor.tsx';

export default function SegmentScreen() {
  const t = useTexts('segments');
  const id = useParam('segment');
  const segment = useQuery({
    ...api.query('GET /client-api/api/filters/{id}', { params: { id } }),
    // A refetch must not replace unsaved edits.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const back = { to: SEGMENTS_PATH, label: t('titleAll') };
  if (segment.isLoadingError) {
    return (
      <Page title={t('titleOne')} back={back}>
        <FailedState error={segment.error} retry={() => void segment.refetch()} />
      </Page>
    );
  }
  if (!segment.data) {
    return (
      <Page title={t('titleOne')} back={back}>
        <LoadingState rows={6} />
      </Page>
    );
  }
  return <SegmentEditor id={id} savedSegment={toSavedSegment(segment.data.data)} />;
}
