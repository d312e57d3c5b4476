// Screens for composing the email of a campaign, a workflow step or another item: the block editor,
// its template gallery (`?choose=1` shows it again), and the editors for custom HTML and plain
// text.
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { flag, useSearchParams } from '#platform/web/api/address.ts';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { Redirect } from '#platform/web/ui/redirect.tsx';
import { LoadingState } from '#platform/web/ui/states.tsx';
import type { ContentKind } from '../../shared.ts';
import type { Composing } from './composing.ts';
import { EditorGuard } from './editor-guard.tsx';

const DocumentEditor = lazyWithRetry(() => import('./document-editor.tsx'));
const EditorChoice = lazyWithRetry(() => import('./editor-choice.tsx'));
const SOURCE_EDITORS = {
  html: lazyWithRetry(() => import('./html-editor.tsx')),
  text: lazyWithRetry(() => import('./text-editor.tsx')),
};

const address = { choose: flag() };

/** An item's email, with the paths of its editors. */
export interface ComposedEmail extends Omit<Composing, 'changeEditor'> {
  /** Editor of the existing content. */
  editor: ContentKind | null;
  revision: number;
  buildEditorPath: (kind: ContentKind) => string;
  isFooterless?: boolean;
}

export interface EmailComposerProps {
  /** The editor of this screen. */
  kind: ContentKind;
  email: ComposedEmail;
  /** Layout of the page around the choice of templates. */
  frame: (choice: ReactNode) => ReactNode;
}

export function EmailComposer({ kind, email, frame }: EmailComposerProps) {
  const { editor, buildEditorPath } = email;
  const [{ choose }] = useSearchParams(address);
  if (kind !== 'editor') return <SourceEditor kind={kind} email={email} />;
  if (choose || editor === null) return frame(<Choice email={email} />);
  if (editor !== 'editor') return <Redirect to={buildEditorPath(editor)} />;
  return <Design email={email} />;
}

/** Adds the action that opens the choice of templates to the email. */
function useComposing(email: ComposedEmail): Composing {
  const navigate = useNavigate();
  return {
    ...email,
    changeEditor: () =>
      void navigate({ to: email.buildEditorPath('editor'), search: { choose: '1' } }),
  };
}

function Design({ email }: { email: ComposedEmail }) {
  const composing = useComposing(email);
  return (
    <Suspense fallback={<LoadingState rows={8} />}>
      <DocumentEditor composing={composing} />
    </Suspense>
  );
}

function SourceEditor({ kind, email }: { kind: 'html' | 'text'; email: ComposedEmail }) {
  const composing = useComposing(email);
  const Editor = SOURCE_EDITORS[kind];
  return (
    <EditorGuard
      kind={kind}
      editor={email.editor}
      otherEditorPath={email.buildEditorPath('editor')}
    >
      {(mayReplace) => (
        <Suspense fallback={<LoadingState rows={8} />}>
          <Editor composing={composing} mayReplace={mayReplace} />
        </Suspense>
      )}
    </EditorGuard>
  );
}

function Choice({ email }: { email: ComposedEmail }) {
  const { basePath, id, editor, revision, invalidatedPaths, buildEditorPath, isFooterless } = email;
  const navigate = useNavigate();
  const currentPath = buildEditorPath('editor');
  return (
    <Suspense fallback={<LoadingState rows={6} />}>
      <EditorChoice
        email={{ basePath, id }}
        editor={editor}
        revision={revision}
        invalidatedPaths={invalidatedPaths}
        current={currentPath}
        isFooterless={isFooterless ?? false}
        onTemplate={() => void navigate({ to: currentPath, replace: true })}
        onOther={(kind) => void navigate({ to: buildEditorPath(kind), search: { begin: '1' } })}
      />
    </Suspense>
  );
}
