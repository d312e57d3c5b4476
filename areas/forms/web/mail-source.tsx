// The confirmation email in a source editor: custom HTML or plain text.
import { type ComponentType, Suspense } from 'react';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { OwnEditor, type SourceEditorProps } from '../../content/web/index.ts';
import type { Form } from '../contract.ts';
import { useComposing } from './mail-composing.ts';
import { confirmationPath, useForm } from './queries.ts';

interface ConfirmationSourceProps {
  kind: 'html' | 'text';
  editor: ComponentType<SourceEditorProps>;
}

export function ConfirmationSource(props: ConfirmationSourceProps) {
  const form = useForm(useParam('form'));
  if (form.isLoadingError) return <FailedState error={form.error} retry={form.refetch} />;
  if (!form.data) return <LoadingState rows={8} />;
  return <Source {...props} form={form.data.data} />;
}

function Source({ kind, editor: Editor, form }: ConfirmationSourceProps & { form: Form }) {
  const composing = useComposing(form);
  return (
    <OwnEditor kind={kind} editor={form.mail_editor} other={confirmationPath(form.id, 'editor')}>
      {(mayReplace) => (
        <Suspense fallback={<LoadingState rows={8} />}>
          <Editor composing={composing} mayReplace={mayReplace} />
        </Suspense>
      )}
    </OwnEditor>
  );
}
