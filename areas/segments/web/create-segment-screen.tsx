// The screen to create a segment.
import { SegmentEditor } from './segment-editor.tsx';

const EMPTY_SEGMENT = { title: '', filter: '' };

export default function CreateSegmentScreen() {
  return <SegmentEditor id={undefined} savedSegment={EMPTY_SEGMENT} />;
}
