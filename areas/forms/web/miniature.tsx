// A small picture of a form's first step as visitors see it in a wide window. It is not
// interactive. It has the markup and styles that sites show, in a shadow root, so that the styles
// of the app and of the form do not affect each other.
import { useEffect, useRef } from 'react';
import { compileForm } from '#embed/forms/shared/compile.ts';
import type { FormDocument, FormType, WheelSlice } from '#embed/forms/shared/document.ts';
import { mount } from '#embed/forms/site/mount.ts';
import { drawWheel } from '#embed/forms/site/wheel.ts';
import classes from './miniature.module.css';

const WIDTH = 900;
const HEIGHT = 620;

/**
 * Returns the styles that place the form in the miniature: a popup or wheel as on sites, with the
 * overlay if it is modal; an embedded form in the center.
 */
function createStageStyles(layout: FormDocument['layout'], overlay: string): string {
  const placements: Record<string, string> = {
    corner: 'place-items:end right;padding:16px',
    bar: 'place-items:end stretch',
    full: 'place-items:stretch',
  };
  const hasOverlay = !['corner', 'bar', 'full', 'stacked', 'row'].includes(layout);
  return `:host{display:block}.stage{display:grid;width:${WIDTH}px;height:${HEIGHT}px;overflow:hidden;${placements[layout] ?? 'place-items:center;padding:16px'}${hasOverlay ? `;background:${overlay}` : ''}}.stage>.sender-form-box{min-width:0}${layout === 'full' ? '.sender-form-box{border-radius:0}.sender-form{flex:none;width:min(560px,100%);margin:auto}.sender-form-picture+.sender-form{margin-top:0}' : ''}${layout === 'corner' ? '.sender-form-box{width:400px}' : ''}`;
}

export interface MiniatureProps {
  document: FormDocument;
  type: FormType;
  wheel?: readonly WheelSlice[] | undefined;
}

export function Miniature({ document: form, type, wheel }: MiniatureProps) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!host.current) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const { css, steps } = compileForm(form, { type, interests: [] });
    const sheet = new CSSStyleSheet();
    // The miniature shows the form as in a wide window, even if the browser's window is narrow.
    const wide = css.replaceAll('(max-width:640px)', '(max-width:0)');
    sheet.replaceSync(wide + createStageStyles(form.layout, form.styles.overlay));
    root.adoptedStyleSheets = [sheet];
    const stage = document.createElement('div');
    stage.className = 'stage';
    const [first] = steps;
    const box = first && (mount(first) as HTMLElement);
    if (box) {
      const wheelElement = wheel && drawWheel(wheel);
      if (wheelElement && form.layout === 'wheel-above') box.prepend(wheelElement);
      else if (wheelElement) box.append(wheelElement);
      stage.append(box);
    }
    root.replaceChildren(stage);
  }, [form, type, wheel]);
  return (
    <div className={classes.frame} aria-hidden="true" inert>
      <div className={classes.page} dir={form.language === 'fas' ? 'rtl' : 'ltr'}>
        <div ref={host} />
      </div>
    </div>
  );
}
