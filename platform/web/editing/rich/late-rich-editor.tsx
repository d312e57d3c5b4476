// The text editor; its code (80 KB) is fetched once the email is shown. Until it is loaded the text
// stays visible and pressed keys are queued (held-keys.ts).
import { type ComponentType, type ReactNode, Suspense, useState } from 'react';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import type { RichEditorProps } from './rich-editor.tsx';

let LoadedEditor: ComponentType<RichEditorProps> | undefined;
const LateEditor = lazyWithRetry(loadRichEditor);

/** Fetches the code; later calls use the loaded code. */
export async function loadRichEditor(): Promise<{ default: ComponentType<RichEditorProps> }> {
  const module = await import('./rich-editor.tsx');
  LoadedEditor = module.default;
  return module;
}

/** @param fallback shown instead of the editor until it is loaded */
export function LateRichEditor({ fallback, ...props }: RichEditorProps & { fallback: ReactNode }) {
  // Once its code is loaded, the editor is rendered and focused while the click is handled: phones
  // do not show their keyboard for a later focus. Text that is already open keeps its component,
  // and therefore the caret.
  const [Editor] = useState<ComponentType<RichEditorProps>>(() => LoadedEditor ?? LateEditor);
  return (
    <Suspense fallback={fallback}>
      <Editor {...props} />
    </Suspense>
  );
}
