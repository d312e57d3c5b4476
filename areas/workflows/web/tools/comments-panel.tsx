// Comments on the workflow.
import { ItemComments } from '#areas/folders/web/index.ts';
import { useBuilder } from '../use-builder.ts';

export default function CommentsPanel() {
  const { workflow } = useBuilder();
  return <ItemComments base="/client-api/api/workflows" id={workflow.id} hasHeading={false} />;
}
