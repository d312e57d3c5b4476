// What whoever opens the editor gives it: the editor knows neither campaigns nor workflows.
import { createContext, type ReactNode, useContext } from 'react';
import type { MergeTag } from '#platform/web/editing/surroundings.ts';
import type { EmailDocument } from '../document.ts';
import type { Rendering } from './queries.ts';
import type { Saving } from '#platform/web/ui/save-state.tsx';

export interface BlockEditorProps {
  /** What the mail is called, at the top. */
  name: string;
  back: { to: string; label: string };
  document: EmailDocument;
  /** Grows when `document` is another one that must be taken over: another tab's, for example. */
  generation: number;
  onChange: (document: EmailDocument) => void;
  saving: Saving;
  savedAt: Date | undefined;
  /** Saves now; false if it could not. */
  flush: () => Promise<boolean>;
  /** Shown below the top bar: what somebody must decide. */
  banner?: ReactNode;
  /** Who sends, where the account has no name. */
  company: string;
  mergeTags: readonly MergeTag[];
  /** The mail as it would arrive, with all that is wrong with it. */
  preview: (document: EmailDocument, signal: AbortSignal) => Promise<Rendering>;
  /** Part of the preview's name in the cache: another person is another preview. */
  previewKey: string;
  /** Chooses whom the preview shows. */
  person?: ReactNode;
  /** Words for what was found; the editor gives the way to the block, and changes words everywhere. */
  findings: (
    rendering: Rendering,
    goTo: (node: string) => void,
    replace: (words: string, by: string) => void,
  ) => ReactNode;
  /** In the settings of the mail: what is attached to it, where it can be sent. */
  attachments?: ReactNode;
  /** Beside the preview button: test mail, another editor. */
  tools?: ReactNode;
  next: { label: string; act: () => void };
  /** Writes from right to left where the document leaves it open. */
  isRtl: boolean;
}

export const GivenContext = createContext<BlockEditorProps | null>(null);

/** All that was given; it changes with each key, so nothing of the canvas asks for it. */
export function useEditorProps(): BlockEditorProps {
  const given = useContext(GivenContext);
  if (given === null) throw new Error('No editor around this piece');
  return given;
}

/** What the drawn mail must know; stays the same while one writes. */
export interface MailFacts {
  company: string;
  isRtl: boolean;
  tagLabel: (name: string) => string;
}

export const MailFactsContext = createContext<MailFacts | null>(null);

export function useMailFacts(): MailFacts {
  const facts = useContext(MailFactsContext);
  if (facts === null) throw new Error('No editor around this piece');
  return facts;
}
