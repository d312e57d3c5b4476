// Renders a document on a worker thread (render-document.ts).
import { layOutDocument } from './lay-out-document.ts';
import type { DocumentWork } from './render-document.ts';

export const work = ({ document, context }: DocumentWork) => layOutDocument(document, context);
