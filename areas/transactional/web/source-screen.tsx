// A transactional email edited as source: custom HTML or plain text.
import { type ComponentType, Suspense } from 'react';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { OwnEditor, type SourceEditorProps } from '../../content/web/index.ts';
import type { Transactional } from '../contract.ts';
import { useComposing } from './composing.ts';
import { pathOf, useEmail } from './queries.ts';

interface SourceScreenProps {
  kind: 'html' | 'text';
  editor: ComponentType<SourceEditorProps>;
}

export function SourceScreen(props: SourceScreenProps) {
  const id = useParam('transactional');
  const email = useEmail(id);
  if (email.isLoadingError) return <FailedState error={email.error} retry={email.refetch} />;
  if (!email.data) return <LoadingState rows={8} />;
  return <Source {...props} email={email.data.data} />;
}

function Source({ kind, editor: Editor, email }: SourceScreenProps & { email: Transactional }) {
  const composing = useComposing(email);
  return (
    <OwnEditor kind={kind} editor={email.editor} other={pathOf(email.id, 'editor')}>
      {(mayReplace) => (
        <Suspense fallback={<LoadingState rows={8} />}>
          <Editor composing={composing} mayReplace={mayReplace} />
        </Suspense>
      )}
    </OwnEditor>
  );
}
