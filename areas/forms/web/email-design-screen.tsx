// The confirmation email in the block editor.
import { ComposeConfirmation } from './compose-confirmation.tsx';

export default function EmailDesignScreen() {
  return <ComposeConfirmation kind="editor" />;
}
