// Comments on blocks: their numbers for the marks in the canvas, and the comments of one block in a
// dialog.
import { useEffect } from 'react';
import { ItemComments, useOpenComments } from '#areas/folders/web/index.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Dialog } from '#platform/web/ui/form-dialog.tsx';
import { useEditor, useEditorState } from './store.ts';

export default function BlockComments({ basePath, id }: { basePath: string; id: string }) {
  const t = useTexts('content');
  const { store } = useEditor();
  const openComments = useOpenComments(basePath, id);
  const block = useEditorState((state) => state.commentedBlockId);
  useEffect(() => {
    if (openComments) store.setState({ comments: openComments });
  }, [store, openComments]);
  return (
    <Dialog
      opened={block !== null}
      onClose={() => store.setState({ commentedBlockId: null })}
      title={t('tools.comments')}
    >
      {block !== null && <ItemComments base={basePath} id={id} block={block} hasHeading={false} />}
    </Dialog>
  );
}
