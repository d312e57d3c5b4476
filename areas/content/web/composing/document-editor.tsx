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

async function callIfSaved(flush: () => Promise<boolean>, callback: () => void): Promise<void> {
  if (await flush()) callback();
}

export default function DocumentEditor({ composing }: { composing: Composing }) {
  const { id, next, settingsPath } = composing;
  const { account } = useSession();
  const [subscriberId, setSubscriberId] = useState<string | null>(null);
  const mergeTags = useMergeTags(composing);
  const editing = useDocument(composing);
  const { flush, isStale, resolveConflict } = editing;
  const preview = usePreview(composing, subscriberId);
  const saveInDuplicate = duplicateSaver(composing, flush, toContent);
  const saveAll = async () => {
    // The initial content of a new email is saved even if the author has not changed it.
    if (editing.savedAt === undefined && editing.value) editing.change({ ...editing.value });
    return flush();
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
      flush={flush}
      banner={isStale && <StaleNotice resolveConflict={resolveConflict} radius={0} />}
      company={composing.company}
      comments={composing.comments}
      mergeTags={mergeTags}
      preview={preview}
      previewKey={`${id} ${subscriberId ?? ''}`}
      subscriberPicker={
        <SubscriberSelect email={composing} value={subscriberId} onChange={setSubscriberId} />
      }
      renderFindings={({ findings }, goTo, replace) => (
        <Findings
          findings={findings as EditorFinding[]}
          replace={replace}
          resolve={({ node, step }) => {
            if (node !== undefined) return { onClick: () => goTo(node) };
            return step === 'settings' ? { to: settingsPath } : undefined;
          }}
        />
      )}
      attachments={<Attachments email={composing} saveContent={saveAll} />}
      tools={
        <>
          <TestEmailButton email={composing} subscriberId={subscriberId} beforeSend={flush} />
          <SaveAsTemplate title={composing.title} document={editing.value} />
          <ChangeEditor onClick={composing.changeEditor} />
        </>
      }
      next={{ label: next.label, onClick: () => void callIfSaved(flush, next.onClick) }}
      saveInDuplicate={saveInDuplicate}
      language={resolveEmailLanguage(composing, account)}
      isRtl={(composing.language ?? account.language) === 'fas'}
    />
  );
}

function usePreview(composing: Composing, subscriberId: string | null) {
  const { basePath, id } = composing;
  return useCallback(
    async (document: EmailDocument, signal: AbortSignal): Promise<DraftRendering> => {
      const { data } = await api(resolveCall({ basePath, id }, 'POST /{base}/{id}/preview'), {
        params: { id },
        body: { editor: 'editor', document, ...(subscriberId ? { subscriber: subscriberId } : {}) },
        signal,
      });
      return data;
    },
    [basePath, id, subscriberId],
  );
}

function useDocument(composing: Composing) {
  const { id, invalidatedPaths } = composing;
  return useAutosave<EmailDocument>({
    name: `${composing.name}:document`,
    load: async () => {
      const { data } = await api(resolveCall(composing, 'GET /{base}/{id}/content'), {
        params: { id },
      });
      // Another tab may have changed the editor; the reloaded item then opens the new editor.
      if (data.editor !== 'editor') void invalidate(...invalidatedPaths);
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
      void invalidate(...invalidatedPaths);
      return { revision: data.revision, saved_at: data.saved_at };
    },
  });
}
