// The builder's preview: the real form on an empty page of a frame, told by the builder what to show. Nothing
// of what is written into it is sent.
import type { Snapshot } from '../shared/document.ts';
import { type Shown, showForm } from './form.ts';

type Told = { base: string; snapshot: Snapshot };

let shown: Shown | undefined;

addEventListener('message', ({ source, data }: MessageEvent<Told>) => {
  if (source !== parent || !data.snapshot) return;
  const { base, snapshot } = data;
  shown?.remove();
  const place = document.querySelector('main') ?? undefined;
  shown = showForm({
    base,
    snapshot,
    place: snapshot.type === 'embed' ? place : undefined,
    isPreview: true,
    onClose: () => parent.postMessage('closed', '*'),
  });
});
parent.postMessage('ready', '*');
