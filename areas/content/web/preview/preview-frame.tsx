// A mail's HTML on an origin of its own: no script runs in it, and a click opens another tab. Shown as
// on a wide or narrow screen, in a light or dark mailbox, with or without pictures.
import { useTexts } from '#platform/web/texts.ts';
import { prepared } from './prepared.ts';
import classes from './preview-frame.module.css';

export interface PreviewFrameProps {
  html: string;
  /** Pixels; undefined fills the place. */
  width?: number | undefined;
  height?: number | string | undefined;
  title?: string;
  isDark?: boolean;
  hasImages?: boolean;
}

export function PreviewFrame(props: PreviewFrameProps) {
  const { html, width, height = '100%', title, isDark = false, hasImages = true } = props;
  const t = useTexts('content');
  return (
    <div className={classes.ground}>
      <iframe
        className={classes.mail}
        data-dark={isDark || undefined}
        title={title ?? t('preview.title')}
        sandbox="allow-popups"
        referrerPolicy="no-referrer"
        srcDoc={prepared(html, isDark, hasImages)}
        style={{ width: width ?? '100%', height }}
      />
    </div>
  );
}
