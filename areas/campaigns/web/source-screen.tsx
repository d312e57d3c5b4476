// An editor of custom content on a draft; sent content is shown in its review.
import { type ComponentType, Suspense } from 'react';
import { Redirect } from '#platform/web/ui/redirect.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { OwnEditor, type SourceEditorProps } from '../../content/web/index.ts';
import type { Campaign } from '../contract.ts';
import { useComposing } from './composing.ts';
import { stepPath } from './paths.ts';
import { useCampaign } from './queries.ts';

export interface SourceScreenProps {
  kind: 'html' | 'text';
  editor: ComponentType<SourceEditorProps>;
}

export function SourceScreen({ kind, editor }: SourceScreenProps) {
  const id = useParam('campaign');
  const campaign = useCampaign(id);
  if (campaign.isLoadingError)
    return <FailedState error={campaign.error} retry={campaign.refetch} />;
  if (!campaign.data) return <LoadingState rows={8} />;
  const { data } = campaign.data;
  if (data.status !== 'DRAFT') return <Redirect to={stepPath(id, 'review')} />;
  return (
    <OwnEditor kind={kind} editor={data.editor} other={stepPath(id, 'design')}>
      {(mayReplace) => <Source campaign={data} editor={editor} mayReplace={mayReplace} />}
    </OwnEditor>
  );
}

function Source({
  campaign,
  editor: Editor,
  mayReplace,
}: {
  campaign: Campaign;
  editor: SourceScreenProps['editor'];
  mayReplace: boolean;
}) {
  const composing = useComposing(campaign);
  return (
    <Suspense fallback={<LoadingState rows={8} />}>
      <Editor composing={composing} mayReplace={mayReplace} />
    </Suspense>
  );
}
