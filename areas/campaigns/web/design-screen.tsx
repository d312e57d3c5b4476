// A campaign in the block editor.
import { ComposeEmail } from './compose-email.tsx';

export default function DesignScreen() {
  return <ComposeEmail kind="editor" />;
}
