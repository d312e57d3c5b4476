// An HTML block in the canvas, in a frame without scripts that is as high as its content.
import { useState } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import classes from './blocks.module.css';

export function CustomHtmlView({ html }: { html: string }) {
  const t = useTexts('content');
  const [height, setHeight] = useState(40);
  if (html.trim() === '') return <div className={classes.place}>{t('canvas.emptyHtml')}</div>;
  return (
    <iframe
      className={classes.own}
      title={t('kinds.html')}
      // Same origin only to measure the height; scripts are disabled.
      sandbox="allow-same-origin"
      tabIndex={-1}
      srcDoc={`<!doctype html><meta http-equiv="Content-Security-Policy" content="script-src 'none'"><style>body{margin:0;font:16px/1.5 Arial,sans-serif}img{max-width:100%}</style>${html}`}
      style={{ height }}
      onLoad={(event) => {
        const body = event.currentTarget.contentDocument?.body;
        if (body) setHeight(Math.max(24, body.scrollHeight));
      }}
    />
  );
}
