// Styles of the element that contains a form: an embedded form fills its container, and a popup is
// positioned by its layout.
import type { FormLayout } from '../shared/document.ts';

/** @param isEmbed whether the form is in a container of the page */
export function renderHostStyles(layout: FormLayout, isEmbed: boolean): string {
  if (isEmbed) return ':host{all:initial!important;display:block!important}';
  const sides: Record<string, string> = {
    corner: 'inset:auto 16px 16px auto!important;width:min(400px,calc(100vw - 32px))!important',
    bar: 'inset:auto 0 0 0!important;width:100vw!important',
    full: 'inset:0!important;width:100vw!important;height:100vh!important',
  };
  const side = sides[layout];
  const box = side ?? 'inset:0!important;width:100vw!important;height:100vh!important';
  // A box taller than the window scrolls. The height in `dvh` excludes a phone's toolbars; browsers
  // that do not know this unit use the height in `vh`.
  const margin = layout === 'corner' ? '32px' : '0px';
  const boxStyles = side
    ? `.sender-form-box{max-height:calc(100vh - ${margin})!important;max-height:calc(100dvh - ${margin})!important}`
    : '#sender-form-content{position:relative;display:grid;place-items:center;height:100%;padding:16px;overflow:auto}';
  return `:host{all:initial!important;display:block!important;position:fixed!important;z-index:2147483647!important;border:0!important;padding:0!important;margin:0!important;background:none!important;max-width:none!important;overflow:visible!important;${box}}${boxStyles}${layout === 'full' ? '#sender-form-content{height:100%}.sender-form-box{height:100%;border:0!important;border-radius:0!important}.sender-form{flex:none!important;width:min(560px,100%);margin:auto!important}.sender-form-picture+.sender-form{margin-top:0!important}' : ''}`;
}
