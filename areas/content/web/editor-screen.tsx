// The block editor: top bar, palette, canvas and one inspector. It receives a document and reports
// each edit, independently of the item that the email belongs to.
import { useMediaQuery } from '@mantine/hooks';
import { Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { type EditingSettings, EditingContext } from '#platform/web/editing/editing-context.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { BottomSheet } from '#platform/web/ui/bottom-sheet.tsx';
import { LoadingState } from '#platform/web/ui/states.tsx';
import type { NodeId } from '../document.ts';
import { CART_LINK } from '../shop-names.ts';
import { focusNode } from './actions.ts';
import { useBrandColors } from './brand/use-brand.ts';
import { Canvas } from './canvas/canvas.tsx';
import {
  type BlockEditorProps,
  EditorPropsContext,
  type CanvasData,
  CanvasDataContext,
  useEditorProps,
} from './editor-props.ts';
import classes from './editor.module.css';
import { loadRichEditor } from '#platform/web/editing/rich/late-rich-editor.tsx';
import { stepKeys } from '#platform/web/editing/step-keys.ts';
import { whenSettled } from '#platform/web/shell/when-settled.ts';
import { Palette } from './palette.tsx';
import { createEditorStore, EditorContext, useEditor, useEditorState } from './store.ts';
import { TopBar } from './top-bar.tsx';

const Inspector = lazyWithRetry(() => import('./inspector/inspector.tsx'));
const PreviewPane = lazyWithRetry(() => import('./preview/preview-pane.tsx'));
const LibraryDialog = lazyWithRetry(() => import('./images/library-dialog.tsx'));
const BlockComments = lazyWithRetry(() => import('./block-comments.tsx'));
const LazyTextToolbar = lazyWithRetry(() => import('#platform/web/editing/rich/toolbar.tsx'));

export default function BlockEditor(props: BlockEditorProps) {
  const [editor] = useState(() => createEditorStore(props.document));
  const { document, generation } = props;
  const canvasData = useCreateCanvasData(props);
  const editing = useEditingSettings(props);

  const change = useRef(props.onChange);
  change.current = props.onChange;
  const appliedState = useRef({ generation, isReplacing: false });
  useEffect(() => {
    return editor.store.subscribe((state, before) => {
      if (state.document !== before.document && !appliedState.current.isReplacing) {
        change.current(state.document);
      }
    });
  }, [editor]);
  useEffect(() => {
    if (appliedState.current.generation === generation) return;
    appliedState.current = { generation, isReplacing: true };
    editor.replace(document);
    appliedState.current.isReplacing = false;
  }, [editor, generation, document]);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => stepKeys(editor, event);
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [editor]);

  // A failure is ignored here; it is reported when the user edits a text, which needs the module.
  useEffect(() => whenSettled(() => void loadRichEditor().catch(() => undefined)), []);

  return (
    <EditorPropsContext value={props}>
      <CanvasDataContext value={canvasData}>
        <EditingContext value={editing}>
          <EditorContext value={editor}>
            <EditorLayout />
          </EditorContext>
        </EditingContext>
      </CanvasDataContext>
    </EditorPropsContext>
  );
}

function useCreateCanvasData({ mergeTags, company, isRtl }: BlockEditorProps): CanvasData {
  return useMemo(() => {
    const titles = new Map(mergeTags.map(({ name, title }) => [name, title]));
    return { company, isRtl, getTagLabel: (name) => titles.get(name) ?? name };
  }, [mergeTags, company, isRtl]);
}

/**
 * Returns the context values for the tools: brand colors, merge tags, and URLs available in every
 * email.
 */
function useEditingSettings({ mergeTags }: BlockEditorProps): EditingSettings {
  const t = useTexts('content');
  const colors = useBrandColors();
  return useMemo(
    () => ({
      mergeTags,
      colors,
      links: [
        { label: t('links.unsubscribe'), href: '{{unsubscribe_link}}' },
        { label: t('links.browser'), href: '{{browser_preview}}' },
        { label: t('links.cart'), href: CART_LINK },
      ],
    }),
    [mergeTags, colors, t],
  );
}

function EditorLayout() {
  const t = useTexts('content');
  const editor = useEditor();
  const { banner, comments } = useEditorProps();
  const [isPreview, setPreview] = useState(false);
  const isSmall = useMediaQuery('(max-width: 900px)') ?? false;
  const goTo = (node: NodeId) => {
    setPreview(false);
    editor.select(node);
    requestAnimationFrame(() => focusNode(node));
  };
  return (
    <div className={classes.editor}>
      <TopBar isPreview={isPreview} onPreview={setPreview} />
      {banner}
      <div className={classes.place}>
        {isPreview ? (
          <Suspense fallback={<LoadingState rows={6} />}>
            <PreviewPane goTo={goTo} />
          </Suspense>
        ) : (
          <>
            {!isSmall && (
              <aside className={classes.palette} aria-label={t('palette.title')}>
                <Palette />
              </aside>
            )}
            <div className={classes.canvas}>
              <div className={classes.words}>
                <TextToolbar />
              </div>
              <Canvas />
            </div>
            {isSmall ? <Sheets /> : <SideInspector />}
          </>
        )}
      </div>
      <Announcer />
      <Chooser />
      {comments && (
        <Suspense fallback={null}>
          <BlockComments basePath={comments.basePath} id={comments.id} />
        </Suspense>
      )}
    </div>
  );
}

/** The text toolbar loads with the first edited text. */
function TextToolbar() {
  const textEditor = useEditorState((state) => state.textEditor);
  if (textEditor === null || textEditor.isDestroyed) return null;
  return (
    <Suspense fallback={null}>
      <LazyTextToolbar editor={textEditor} />
    </Suspense>
  );
}

function SideInspector() {
  const t = useTexts('content');
  return (
    <aside className={classes.inspector} aria-label={t('mail.inspector')}>
      <Suspense fallback={<LoadingState rows={6} />}>
        <Inspector />
      </Suspense>
    </aside>
  );
}

/** Palette and inspector as bottom sheets on small screens. */
function Sheets() {
  const t = useTexts('content');
  const { store } = useEditor();
  const isOpen = useEditorState((state) => state.isSheetOpen);
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <div className={classes.foot} data-foot="">
        <button type="button" onClick={() => setAdding(true)}>
          {t('palette.add')}
        </button>
        <button type="button" onClick={() => store.setState({ isSheetOpen: true })}>
          {t('tools.form')}
        </button>
      </div>
      <BottomSheet isOpen={isAdding} close={() => setAdding(false)} title={t('palette.title')}>
        <Palette onDone={() => setAdding(false)} />
      </BottomSheet>
      <BottomSheet
        isOpen={isOpen}
        close={() => store.setState({ isSheetOpen: false })}
        title={t('mail.inspector')}
      >
        <Suspense fallback={<LoadingState rows={6} />}>
          <Inspector />
        </Suspense>
      </BottomSheet>
    </>
  );
}

function Announcer() {
  const announcement = useEditorState((state) => state.announcement);
  return (
    <div className={classes.hidden} role="status" aria-live="polite">
      {announcement}
    </div>
  );
}

function Chooser() {
  const { store } = useEditor();
  const choosing = useEditorState((state) => state.onImageChosen);
  if (choosing === null) return null;
  return (
    <Suspense fallback={null}>
      <LibraryDialog onChoose={choosing} close={() => store.setState({ onImageChosen: null })} />
    </Suspense>
  );
}
