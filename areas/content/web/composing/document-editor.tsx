// The block editor for an email: loads its document, saves it, previews it, sends tests.
import { useCallback, useState } from 'react';
import { useAutosave } from '#platform/web/editing/use-autosave.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { useSession } from '#platform/web/session/session.ts';
import { StaleNotice } from '#platform/web/editing/stale-notice.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { EmailDocument } from '../../document.ts';
import { createEmailDocument } from '../../document-factory.ts';
import BlockEditor from '../editor-screen.tsx';
import { SaveAsTemplate } from '../saved-templates.tsx';
import type { DraftRendering } from '../queries.ts';
import { Attachments } from './attachments.tsx';
import { ChangeEditor } from './change-editor.tsx';
import {
  api,
  resolveCall,
  type Composing,
  duplicateSaver,
  type EditorFinding,
  resolveEmailLanguage,
} from './composing.ts';
import { Findings } from './findings.tsx';
import { SubscriberSelect } from './subscriber-select.tsx';
import { TestEmailButton } from './test-email.tsx';
import { useMergeTags } from './use-merge-tags.ts';

const toContent = (document: EmailDocument) => ({ editor: 'editor' as const, document });

export default function DocumentEditor({ composing }: { composing: Composing }) {
  const { id, next, settings } = composing;
  const { account } = useSession();
  const [person, setPerson] = useState<string | null>(null);
  const mergeTags = useMergeTags(composing);
  const editing = useDocument(composing);
  const preview = usePreview(composing, person);
  const saveInDuplicate = duplicateSaver(composing, editing.flush, toContent);
  const saveAndContinue = async () => {
    if (await editing.flush()) next.act();
  };
  const saveAll = async () => {
    // The initial content of a new email is saved even if the author has not changed it.
    if (editing.savedAt === undefined && editing.value) editing.change({ ...editing.value });
    return editing.flush();
  };
  if (editing.error) return <FailedState error={editing.error} retry={editing.reload} />;
  if (editing.value === undefined) return <LoadingState rows={8} />;
  return (
    <BlockEditor
      name={composing.title}
      back={composing.back}
      document={editing.value}
      generation={editing.generation}
      onChange={editing.change}
      saving={editing.saving}
      savedAt={editing.savedAt}
      flush={editing.flush}
      banner={editing.isStale && <StaleNotice settle={editing.settle} radius={0} />}
      company={composing.company}
      comments={composing.comments}
      mergeTags={mergeTags}
      preview={preview}
      previewKey={`${id} ${person ?? ''}`}
      person={<SubscriberSelect email={composing} value={person} onChange={setPerson} />}
      findings={({ findings }, goTo, replace) => (
        <Findings
          findings={findings as EditorFinding[]}
          replace={replace}
          resolve={({ node, step }) => {
            if (node !== undefined) return { act: () => goTo(node) };
            return step === 'settings' ? { to: settings } : undefined;
          }}
        />
      )}
      attachments={<Attachments email={composing} before={saveAll} />}
      tools={
        <>
          <TestEmailButton email={composing} person={person} before={editing.flush} />
          <SaveAsTemplate title={composing.title} document={editing.value} />
          <ChangeEditor act={composing.changeEditor} />
        </>
      }
      next={{ label: next.label, act: () => void saveAndContinue() }}
      saveInDuplicate={saveInDuplicate}
      language={resolveEmailLanguage(composing, account)}
      isRtl={(composing.language ?? account.language) === 'fas'}
    />
  );
}

function usePreview(composing: Composing, subscriberId: string | null) {
  const { base, id } = composing;
  return useCallback(
    async (document: EmailDocument, signal: AbortSignal): Promise<DraftRendering> => {
      const { data } = await api(resolveCall({ base, id }, 'POST /{base}/{id}/preview'), {
        params: { id },
        body: { editor: 'editor', document, ...(subscriberId ? { subscriber: subscriberId } : {}) },
        signal,
      });
      return data;
    },
    [base, id, subscriberId],
  );
}

function useDocument(composing: Composing) {
  const { id, touches } = composing;
  return useAutosave<EmailDocument>({
    name: `${composing.name}:document`,
    load: async () => {
      const { data } = await api(resolveCall(composing, 'GET /{base}/{id}/content'), {
        params: { id },
      });
      // Another tab may have changed the editor; the reloaded item then opens the new editor.
      if (data.editor !== 'editor') void invalidate(...touches);
      return {
        value: data.document ?? createEmailDocument(),
        revision: data.revision,
        saved_at: data.saved_at,
      };
    },
    save: async (document, revision, isSettled) => {
      const { data } = await api(resolveCall(composing, 'PUT /{base}/{id}/content'), {
        params: { id },
        body: { revision, editor: 'editor', document, confirm_switch: isSettled },
      });
      void invalidate(...touches);
      return { revision: data.revision, saved_at: data.saved_at };
    },
  });
}
