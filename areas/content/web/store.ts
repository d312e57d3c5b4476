// State of the editor: the document with 50 undo steps, the selection, the edited text. Components
// subscribe to the part that they show.
import { createKeyBuffer, type KeyBuffer } from '#platform/web/editing/rich/held-keys.ts';
import type { Editor as WordEditor } from '@tiptap/core';
import { createContext, useContext } from 'react';
import { useStore } from 'zustand';
import {
  createDocumentStore,
  type DocumentStore,
  createHistorySteps,
  useSteps,
} from '#platform/web/editing/history.ts';
import type {
  Block,
  SectionColumn,
  EmailDocument,
  EmailSettings,
  NodeId,
  DocumentImage,
  Section,
} from '../document.ts';
import { changeBlock, changeColumn, changeSection, findNode } from './tree.ts';

/** Position where a dragged item would be dropped. */
export type DropLocation =
  | { kind: 'block'; id: NodeId; edge: 'top' | 'bottom' }
  | { kind: 'column'; id: NodeId }
  | { kind: 'section'; id: NodeId; edge: 'top' | 'bottom' };

export interface EditorState {
  document: EmailDocument;
  /** Selected block or section; null is the email itself. */
  selected: NodeId | null;
  /** The block with text open for editing, and the part: 'html', or a table cell such as '2.0'. */
  writing: { id: NodeId; part: string } | null;
  /** Editor of the open text. */
  textEditor: WordEditor | null;
  dropLocation: DropLocation | null;
  isDragging: boolean;
  /** Node that the open insert menu inserts after; '' in an empty email, null while closed. */
  insertAfterId: NodeId | null;
  /** Receives the image that the user chooses in the library; null while the library is closed. */
  onImageChosen: ((picture: DocumentImage) => void) | null;
  /** Whether the inspector is open, which is a sheet on small screens. */
  isSheetOpen: boolean;
  /** Announcement for screen readers. */
  announcement: string;
  /** Number of open comments by block; null for an email without comments. */
  comments: Readonly<Record<NodeId, number>> | null;
  /** Block whose comments are shown. */
  commentedBlockId: NodeId | null;
}

const INITIAL_STATE: Omit<EditorState, 'document'> = {
  selected: null,
  writing: null,
  textEditor: null,
  dropLocation: null,
  isDragging: false,
  insertAfterId: null,
  onImageChosen: null,
  isSheetOpen: false,
  announcement: '',
  comments: null,
  commentedBlockId: null,
};

export function createEditorStore(document: EmailDocument) {
  const store = createDocumentStore<EditorState>({ ...INITIAL_STATE, document });
  const bufferedKeys = createKeyBuffer();
  return { store, bufferedKeys, ...createActions(store, bufferedKeys) };
}

function createActions(store: DocumentStore<EditorState>, bufferedKeys: KeyBuffer) {
  const {
    edit,
    undo,
    redo,
    begin: start,
  } = createHistorySteps(store, () => {
    const { document, selected } = store.getState();
    store.setState({
      writing: null,
      selected: findNode(document, selected) ? selected : null,
    });
  });

  return {
    edit,
    undo,
    redo,
    replace: (document: EmailDocument) => {
      store.setState({ selected: null, writing: null });
      start(document);
    },
    select: (selectedId: NodeId | null) => {
      const state = store.getState();
      if (state.selected === selectedId && state.writing === null) return;
      store.setState({
        selected: selectedId,
        writing: state.writing?.id === selectedId ? state.writing : null,
      });
    },
    startWriting: (id: NodeId, part = 'html') => {
      bufferedKeys.clear();
      store.setState({ writing: { id, part }, selected: id });
    },
    stopWriting: () => store.setState({ writing: null }),
    editBlock: (id: NodeId, change: (block: Block) => Block, name?: string) =>
      edit((document) => changeBlock(document, id, change), name && `${id}:${name}`),
    editColumn: (id: NodeId, change: (column: SectionColumn) => SectionColumn, name?: string) =>
      edit((document) => changeColumn(document, id, change), name && `${id}:${name}`),
    editSection: (id: NodeId, change: (section: Section) => Section, name?: string) =>
      edit((document) => changeSection(document, id, change), name && `${id}:${name}`),
    editSettings: (change: Partial<EmailSettings>, name?: string) =>
      edit(
        (document) => ({ ...document, settings: { ...document.settings, ...change } }),
        name && `mail:${name}`,
      ),
  };
}

export type EmailEditor = ReturnType<typeof createEditorStore>;

export const EditorContext = createContext<EmailEditor | null>(null);

export function useEditor(): EmailEditor {
  const editor = useContext(EditorContext);
  if (editor === null) throw new Error('This hook needs the editor’s context');
  return editor;
}

export function useEditorState<Part>(select: (state: EditorState) => Part): Part {
  return useStore(useEditor().store, select);
}

export const useHistory = () => useSteps(useEditor().store);
