// Attachments beside the preview.
import classes from './attachments.module.css';
import type { EmailRef } from './composing.ts';
import { FileList, useAttachments } from './file-list.tsx';

/** Renders nothing without attachments. */
export default function AttachedFiles({ email }: { email: EmailRef }) {
  const files = useAttachments(email).data?.data ?? [];
  if (files.length === 0) return null;
  return (
    <div className={classes.shown}>
      <FileList files={files} />
    </div>
  );
}
