// A step's email edited as source: custom HTML or plain text.
import { type ComponentType, Suspense } from 'react';
import { Redirect } from '#platform/web/ui/redirect.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { OwnEditor, type SourceEditorProps } from '../../../content/web/index.ts';
import type { Step } from '../../contract.ts';
import { builderPath, emailPath } from '../queries.ts';
import { useComposing, useStepEmail } from './use-email.ts';

interface SourceScreenProps {
  kind: 'html' | 'text';
  editor: ComponentType<SourceEditorProps>;
}

export function SourceScreen(props: SourceScreenProps) {
  const { id, workflow, step } = useStepEmail();
  if (workflow.isError && !workflow.data)
    return <FailedState error={workflow.error} retry={() => void workflow.refetch()} />;
  if (!workflow.data) return <LoadingState rows={8} />;
  if (step?.type !== 'EMAIL') return <Redirect to={builderPath(id)} />;
  return <Source {...props} id={id} step={step} />;
}

function Source({
  kind,
  editor: Editor,
  id,
  step,
}: SourceScreenProps & { id: string; step: Step }) {
  const composing = useComposing(id, step);
  return (
    <OwnEditor kind={kind} editor={step.editor} other={emailPath(id, step.id)}>
      {(mayReplace) => (
        <Suspense fallback={<LoadingState rows={8} />}>
          <Editor composing={composing} mayReplace={mayReplace} />
        </Suspense>
      )}
    </OwnEditor>
  );
}
