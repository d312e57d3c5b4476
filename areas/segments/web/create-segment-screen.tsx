// The screen to create a segment.
import { SegmentEditor } from './segment-editor.tsx';

const EMPTY = { title: '', filter: '' };

export default function CreateSegmentScreen() {
  return <SegmentEditor id={undefined} saved={EMPTY} />;
}
