// The web door of content: the block editor, the gallery of templates, and previews, for whatever is
// written as a mail. The editor comes in pieces of its own, when it is opened.
import { lazy } from 'react';

export const BlockEditor = lazy(() => import('./editor-screen.tsx'));
export const TemplateGallery = lazy(() => import('./template-gallery.tsx'));
export type { Rendering } from './queries.ts';
export { PreviewFrame } from './preview/preview-frame.tsx';
export {
  PlainPreview,
  PreviewModes,
  PreviewShown,
  SizeMeter,
  usePreviewMode,
} from './preview/preview-modes.tsx';
