// Props of the editor, which is independent of campaigns and workflows.
import { createContext, type ReactNode, useContext } from 'react';
import type { MergeTag } from '#platform/web/editing/editing-context.ts';
import type { Language } from '#platform/languages.ts';
import type { EmailDocument } from '../document.ts';
import type { DraftRendering } from './queries.ts';
import type { Saving } from '#platform/web/ui/save-state.tsx';

export interface BlockEditorProps {
  /** Title of the email in the top bar. */
  name: string;
  back: { to: string; label: string };
  document: EmailDocument;
  /**
   * Increased when an external `document` must replace the edited one, for example another tab's.
   */
  generation: number;
  onChange: (document: EmailDocument) => void;
  saving: Saving;
  savedAt: Date | undefined;
  /** Saves now; returns false if that failed. */
  flush: () => Promise<boolean>;
  /** A decision for the author, shown below the top bar. */
  banner?: ReactNode;
  /** Sender name, used if the account has no name. */
  company: string;
  mergeTags: readonly MergeTag[];
  /** Renders the email and returns it with its findings. */
  preview: (document: EmailDocument, signal: AbortSignal) => Promise<DraftRendering>;
  /** Part of the preview's query key, because the preview differs by recipient. */
  previewKey: string;
  /** Picker of the preview recipient. */
  subscriberPicker?: ReactNode;
  /** List of findings; the editor supplies links to blocks and replacement of text. */
  renderFindings: (
    rendering: DraftRendering,
    goTo: (node: string) => void,
    replace: (search: string, by: string) => void,
  ) => ReactNode;
  /** Base path and id of the item that comments on blocks belong to. */
  comments?: { basePath: string; id: string } | undefined;
  /** Attachments in the settings of the email, if it can be sent. */
  attachments?: ReactNode;
  /** Tools beside the preview button: test email, other editors. */
  tools?: ReactNode;
  next: { label: string; onClick: () => void };
  /** Saves the document in a duplicate of the email in another language and opens it. */
  saveInDuplicate?: ((document: EmailDocument, language: Language) => Promise<void>) | undefined;
  /** Language of the email; defaults to the account's. */
  language?: Language;
  /** Whether the email is right to left unless the document sets a direction. */
  isRtl: boolean;
}

export const EditorPropsContext = createContext<BlockEditorProps | null>(null);

/** Returns all props; they change with each keystroke, so the canvas must not use them. */
export function useEditorProps(): BlockEditorProps {
  const props = useContext(EditorPropsContext);
  if (props === null) throw new Error('This hook needs the editor’s context');
  return props;
}

/** Props of the canvas, which are stable during typing. */
export interface CanvasData {
  company: string;
  isRtl: boolean;
  getTagLabel: (name: string) => string;
}

export const CanvasDataContext = createContext<CanvasData | null>(null);

export function useCanvasData(): CanvasData {
  const context = useContext(CanvasDataContext);
  if (context === null) throw new Error('This hook needs the editor’s context');
  return context;
}
