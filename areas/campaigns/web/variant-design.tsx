// The design of a variant in the block editor.
import { ComposeVariant } from './compose-variant.tsx';

export default function VariantDesign() {
  return <ComposeVariant kind="editor" />;
}
