// A mail's HTML on an origin of its own: no script runs in it, and a click opens another tab. Shown as
// on a wide or narrow screen, in a light or dark mailbox, with or without pictures.
import { useTexts } from '#platform/web/texts.ts';
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

/** Links open elsewhere; dark and pictures as asked. What is added stands after what must be first. */
function prepared(html: string, isDark: boolean, hasImages: boolean): string {
  const added = `<base target="_blank">${hasImages ? '' : '<meta http-equiv="Content-Security-Policy" content="img-src \'none\'">'}`;
  const shown = inScheme(html, isDark);
  const head = /<head(?:\s[^>]*)?>/i.exec(shown);
  if (head) {
    const at = head.index + head[0].length;
    return shown.slice(0, at) + added + shown.slice(at);
  }
  const doctype = /^\s*<!doctype[^>]*>/i.exec(shown)?.[0] ?? '';
  return doctype + added + shown.slice(doctype.length);
}

/** The mailbox is as dark as was asked for, whatever this computer is. */
function inScheme(html: string, isDark: boolean): string {
  const [on, off] = ['(min-width:0px)', '(max-width:0px)'];
  return html.replace(/\(\s*prefers-color-scheme\s*:\s*(dark|light)\s*\)/gi, (_, scheme: string) =>
    (scheme.toLowerCase() === 'dark') === isDark ? on : off,
  );
}
