// An email's HTML in a sandboxed frame with a separate origin, where scripts do not run and links
// open a new tab. It is shown wide or narrow, light or dark, with or without images.
import { useTexts } from '#platform/web/texts/texts.ts';
import { preparePage } from './prepared.ts';
import classes from './preview-frame.module.css';

export interface PreviewFrameProps {
  html: string;
  /** Width in pixels; undefined fills the container. */
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
        srcDoc={preparePage(html, isDark, hasImages)}
        style={{ width: width ?? '100%', height }}
      />
    </div>
  );
}
