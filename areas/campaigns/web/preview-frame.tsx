// A mail's HTML on an origin of its own: no script runs in it, and a click opens another tab.
import { useTexts } from '#platform/web/texts.ts';
import classes from './preview-frame.module.css';

export interface PreviewFrameProps {
  html: string;
  /** Pixels; undefined fills the place. */
  width?: number | undefined;
  height?: number | string | undefined;
  title?: string;
}

export function PreviewFrame({ html, width, height = '100%', title }: PreviewFrameProps) {
  const t = useTexts('campaigns');
  return (
    <div className={classes.ground}>
      <iframe
        className={classes.mail}
        title={title ?? t('preview.title')}
        sandbox="allow-popups"
        referrerPolicy="no-referrer"
        srcDoc={withBase(html)}
        style={{ width: width ?? '100%', height }}
      />
    </div>
  );
}

/** Links open elsewhere. Placed after what must stand first in a document. */
function withBase(html: string): string {
  const base = '<base target="_blank">';
  const head = /<head(?:\s[^>]*)?>/i.exec(html);
  if (head) {
    const at = head.index + head[0].length;
    return html.slice(0, at) + base + html.slice(at);
  }
  const doctype = /^\s*<!doctype[^>]*>/i.exec(html)?.[0] ?? '';
  return doctype + base + html.slice(doctype.length);
}
